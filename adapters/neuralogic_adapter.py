#!/usr/bin/env python3
"""Runs PyNeuraLogic, the successor of LRNN, as a model of an lrbm experiment.

Install: `pip install neuralogic==0.9.2`, and Java 17 (on Debian `apt-get install openjdk-17-jre-headless`).

    run = ["python3", "{spec_dir}/../adapters/neuralogic_adapter.py"]
    features = "clauses"

Works in the current directory, which holds `train/`, `test/` and `job.json` as described in docs/src/external.md, and writes `scores.csv`,
`model.json` (rules and weights) and `info.json`. The template has a rule for each clause of `features/clauses.txt`, which lrbm learns on the
training part with `progol`:

    lrbm_rule1(A, B) :- lrbm_example(A, B), <body of clause 1>.
    w1 :: advisedby(A, B) :- lrbm_rule1(A, B).
    w0 :: advisedby(A, B) :- lrbm_example(A, B).

with a sigmoid at the target, so that scores are probabilities. `lrbm_example` holds for all training examples, or all queries.
With `--template FILE` it is a file in the notation of NeuraLogic, which may use `lrbm_example`; its outputs are scores. Parameters in `params`: epochs=100,
learning_rate=0.01, aggregation="avg" (of the groundings of a rule; or "max", "sum"), weight_decay=0.
"""

import argparse
import csv
import importlib.metadata
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

CONTRACT = 1
UNSUPPORTED = 77
PARAMETERS = {"epochs": 100, "learning_rate": 0.01, "aggregation": "avg", "weight_decay": 0.0}
AGGREGATIONS = ("avg", "max", "sum")
PLAIN = re.compile(r"[a-z][a-z0-9_]*")
VARIABLE = re.compile(r"[A-Z_]\w*")
TOKEN = re.compile(r"""\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|:-|[^\s"'(),]+|[(),])""")


class Failure(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def main():
    args = arguments()
    try:
        if args.version:
            print(f"neuralogic {package_version()}, Java {java_version()}")
        else:
            run(args)
    except Failure as failure:
        print(f"neuralogic_adapter: {failure}", file=sys.stderr)
        sys.exit(failure.code)
    except (OSError, ValueError, KeyError) as error:
        print(f"neuralogic_adapter: {type(error).__name__}: {error}; is this the directory of a job?", file=sys.stderr)
        sys.exit(1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--template", type=Path, help="a template in the notation of NeuraLogic [default: features/clauses.txt]")
    parser.add_argument("--version", action="store_true", help="print the versions of the package and of Java")
    return parser.parse_args()


def package_version():
    try:
        return importlib.metadata.version("neuralogic")
    except importlib.metadata.PackageNotFoundError:
        raise Failure("the package neuralogic is missing: install it with `pip install neuralogic==0.9.2`") from None


def java_version():
    if not shutil.which("java"):
        raise Failure("java is missing: install version 17, on Debian with `apt-get install openjdk-17-jre-headless`")
    text = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    found = re.search(r'version "([^"]+)"', text)
    if not found:
        raise Failure(f"`java -version` does not state a version: {text.strip()[:200]}")
    return found[1]


def run(args):
    job = json.loads(Path("job.json").read_text())
    if job.get("contract") != CONTRACT:
        raise Failure(f"job.json has contract version {job.get('contract')}; this adapter is made for version {CONTRACT}")
    params = parameters(job["params"])
    info = {"neuralogic": package_version(), "java": java_version()}
    data = {side: [parse(line) for line in lines(Path(side) / f"{side}_facts.txt")] for side in ("train", "test")}
    examples = [(parse(line), float(label == "pos")) for label in ("pos", "neg") for line in lines(Path(f"train/train_{label}.txt"))]
    queries = list(lines(Path("test/queries.txt")))
    if len({label for _, label in examples}) < 2:
        raise Failure("the training examples are all of one class", UNSUPPORTED)
    if not queries:
        raise Failure("test/queries.txt has no queries", UNSUPPORTED)
    clauses = None if args.template else read_clauses(Path("features/clauses.txt"))
    began = time.monotonic()
    network = Network(job, params, args.template, clauses, examples[0][0])
    network.train(data["train"], examples, params["epochs"])
    info |= {"rules": None if clauses is None else len(clauses), "train_seconds": round(time.monotonic() - began, 3)}
    began = time.monotonic()
    outputs = network.outputs(data["test"], [parse(line) for line in queries])
    info["predict_seconds"] = round(time.monotonic() - began, 3)
    with open("scores.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["example", "score" if args.template else "probability"])
        table.writerows([query.removesuffix("."), repr(output)] for query, output in zip(queries, outputs))
    Path("model.json").write_text(json.dumps(network.saved(), indent=1) + "\n")
    Path("info.json").write_text(json.dumps(info, indent=1) + "\n")


def parameters(given):
    for name in given:
        if name not in PARAMETERS:
            raise Failure(f"unknown parameter `{name}`; expected some of {', '.join(PARAMETERS)}")
    params = {**PARAMETERS, **given}
    number = lambda value: isinstance(value, (int, float)) and not isinstance(value, bool)
    if not isinstance(params["epochs"], int) or isinstance(params["epochs"], bool) or params["epochs"] < 1:
        raise Failure(f"parameter `epochs` must be an integer of at least 1, got {params['epochs']!r}")
    if not number(params["learning_rate"]) or params["learning_rate"] <= 0:
        raise Failure(f"parameter `learning_rate` must be a number above 0, got {params['learning_rate']!r}")
    if not number(params["weight_decay"]) or params["weight_decay"] < 0:
        raise Failure(f"parameter `weight_decay` must be a number of at least 0, got {params['weight_decay']!r}")
    if params["aggregation"] not in AGGREGATIONS:
        raise Failure(f"unknown aggregation {params['aggregation']!r}; expected one of {', '.join(AGGREGATIONS)}")
    return params


# Data


def lines(path):
    """Yields the sentences of a file, one per line, without comments."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line and not line.startswith(("%", "//")):
                yield line


def read_clauses(path):
    """Returns heads and bodies of the clauses."""
    if not path.exists():
        raise Failure('features/clauses.txt is missing: write `features = "clauses"` in the spec, or name a file with --template')
    clauses = []
    for line in lines(path):
        # Each anonymous variable is a variable of its own.
        tokens = [f"Lrbm{at}" if token == "_" else token for at, token in enumerate(tokenize(line))]
        at = tokens.index(":-") if ":-" in tokens else len(tokens)
        head, body = atoms(tokens[:at], line), atoms(tokens[at + 1 :], line)
        if len(head) != 1:
            raise Failure(f"the clause `{line}` has no head", UNSUPPORTED)
        clauses.append((head[0], [atom for atom in body if atom != ("true", ())]))
    return clauses


def parse(line):
    found = atoms(tokenize(line), line)
    if len(found) != 1:
        raise Failure(f"`{line}` is not an atom such as `p(a,b)`; weights and clauses are not translated", UNSUPPORTED)
    return found[0]


def tokenize(line):
    tokens, at = [], 0
    text = line.removesuffix(".").rstrip()
    while at < len(text):
        found = TOKEN.match(text, at)
        if not found:
            raise Failure(f"cannot read `{line}`", UNSUPPORTED)
        tokens.append(found[1])
        at = found.end()
    return tokens


def atoms(tokens, line):
    """Returns the atoms of a conjunction as pairs of predicate and arguments; nested terms stay whole."""
    found, at = [], 0
    while at < len(tokens):
        predicate, terms = tokens[at], []
        at += 1
        if at < len(tokens) and tokens[at] == "(":
            depth, terms = 1, [""]
            while depth and at + 1 < len(tokens):
                at += 1
                depth += (tokens[at] == "(") - (tokens[at] == ")")
                if depth and tokens[at] == "," and depth == 1:
                    terms.append("")
                elif depth:
                    terms[-1] += tokens[at]
            at += 1
            if depth or not all(terms):
                raise Failure(f"cannot read `{line}`", UNSUPPORTED)
        if predicate == "\\+" or not re.match(r"[\w\"']", predicate):
            raise Failure(f"`{line}` has a negation or a comparison, which is not translated", UNSUPPORTED)
        found.append((predicate, tuple(terms)))
        if at < len(tokens):
            if tokens[at] != ",":
                raise Failure(f"`{line}` has a weight, a comparison or a clause, which is not translated", UNSUPPORTED)
            at += 1
    return found


class Names:
    """A translation of names into plain ones, since the constants of NeuraLogic have no quotes."""

    def __init__(self):
        self.safe = {}

    def get(self, text, prefix):
        text = text[1:-1] if text[0] in "\"'" and PLAIN.fullmatch(text[1:-1]) else text
        if PLAIN.fullmatch(text) and not text.startswith("lrbm_"):
            return text
        return self.safe.setdefault((prefix, text), f"lrbm_{prefix}{len(self.safe)}")


# The network


class Network:
    def __init__(self, job, params, template, clauses, example):
        # Imported late: it takes a second that `--version` need not wait for.
        import neuralogic
        from neuralogic.core import Aggregation, Model, R, Settings, Transformation
        from neuralogic.core.constructs.term import Constant, Variable
        from neuralogic.dataset import Dataset
        from neuralogic.nn.loss import CrossEntropy
        from neuralogic.nn.optim import Adam

        options = ["-Xms64m", f"-XX:ActiveProcessorCount={job.get('threads') or 1}"]
        memory = (job.get("limits") or {}).get("memory_bytes")
        # The rest is for Python and the machine code of Java.
        neuralogic.set_jvm_options([*options, f"-Xmx{max(64, int(memory * 0.7) >> 20)}m"] if memory else options)
        neuralogic.initialize(seed=job["seed"] % 2**31)
        self.relation, self.constant, self.variable, self.dataset = R.get, Constant, Variable, Dataset
        self.names = Names()
        self.rules = []
        if template:
            if not template.exists():
                raise Failure(f"the template {template} does not exist")
            self.model = Model(model_file=str(template.resolve()))
        else:
            self.model = Model()
            target, arity = example[0], len(example[1])
            head = (target, tuple(f"X{i}" for i in range(arity)))
            self.add_rule(head, [("lrbm_example", head[1])], weighted=True)
            aggregation = {"avg": Aggregation.AVG, "max": Aggregation.MAX, "sum": Aggregation.SUM}[params["aggregation"]]
            for number, ((_, terms), body) in enumerate(clauses, 1):
                hidden = (f"lrbm_rule{number}", terms)
                self.add_rule(hidden, [("lrbm_example", terms), *body], metadata=[aggregation])
                self.add_rule((target, terms), [hidden], weighted=True)
            self.model += self.relation(self.predicate(target)) / arity | [Transformation.SIGMOID]
        loss = CrossEntropy(with_logits=bool(template))
        self.model.build(Settings(optimizer=Adam(lr=params["learning_rate"], weight_decay=params["weight_decay"]), error_function=loss))

    def predicate(self, name):
        return name if name.startswith("lrbm_") else self.names.get(name, "p")

    def atom(self, atom, value=None):
        predicate, terms = atom
        made = []
        for term in terms:
            variable = VARIABLE.fullmatch(term)
            made.append(self.variable(term) if variable else self.constant(self.names.get(term, "k")))
        found = self.relation(self.predicate(predicate))(made)
        return found if value is None else found[value]

    def add_rule(self, head, body, weighted=False, metadata=None):
        made = self.atom(head)
        rule = (made[1,] if weighted else made) <= [self.atom(atom) for atom in body]
        self.rules.append(str(rule))
        self.model += rule | metadata if metadata else rule

    def build(self, facts, examples):
        data = self.dataset()
        known = [("lrbm_example", terms) for (_, terms), _ in examples]
        # Repeated facts would be repeated inputs.
        data.add_example([self.atom(fact) for fact in dict.fromkeys([*facts, *known])])
        data.add_queries([self.atom(example, label) for example, label in examples])
        try:
            built = self.model.build_dataset(data)
        except Exception as error:
            raise Failure(f"the network cannot be built: {error}") from None
        if len(built) != len(examples):
            raise Failure(f"the template derives {len(built)} of {len(examples)} examples; add a rule that holds for all, such as one on lrbm_example")
        return built

    def train(self, facts, examples, epochs):
        self.model.train(self.build(facts, examples), epochs=epochs)

    def outputs(self, facts, queries):
        """Returns the output for each query."""
        # The number of a query as its label, which has no influence on the output, tells which query an output is of.
        built = self.build(facts, [(query, float(number)) for number, query in enumerate(queries)])
        found = {round(sample.target): output for sample, output in zip(built, self.model.test(built))}
        missing = [query for number, query in enumerate(queries) if number not in found]
        if missing:
            raise Failure(f"the network has no output for {len(missing)} of {len(queries)} queries, such as {missing[0]}")
        return [found[number] for number in range(len(queries))]

    def saved(self):
        state = self.model.state_dict()
        return {"rules": self.rules, "weights": list(state["weights"].values()), "names": {safe: name for (_, name), safe in self.names.safe.items()}}


if __name__ == "__main__":
    main()
