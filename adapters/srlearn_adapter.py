#!/usr/bin/env python3
"""Runs RDN-Boost or MLN-Boost of BoostSRL, or RDN-Boost of SRLBoost, as a model of an lrbm experiment.

Install: `pip install srlearn==0.5.5`, and Java 17 (on Debian `apt-get install openjdk-17-jre-headless`).

    run = ["python3", "{spec_dir}/../adapters/srlearn_adapter.py", "--solver", "SRLBoost"]

Works in the current directory, which holds `train/`, `test/` and `job.json` as described in docs/src/external.md, and writes
`scores.csv` (probabilities), `model.txt` (the trees) and `info.json`. Parameters in `params`, with srlearn's defaults:
trees=10, node_size=2, max_depth=3, clauses=100, cycles=100, neg_pos_ratio=2 (negatives per positive that are drawn from the training
negatives). The seed has no effect: the programs seed from the clock. `--jar FILE` runs another program with the command line of BoostSRL, such as the
authors' LRBM-Boost; srlearn is not needed then.

The jars of the package are called directly. Its Python interface has no MLN-Boost, keeps its files inside the installed package, and
returns probabilities ordered by label, which queries do not have.
"""

import argparse
import csv
import hashlib
import importlib.metadata
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

CONTRACT = 1
UNSUPPORTED = 77
PARAMETERS = {"trees": 10, "node_size": 2, "max_depth": 3, "clauses": 100, "cycles": 100, "neg_pos_ratio": 2}
# What the parsers of both programs read the same way everywhere; any other name is replaced and restored.
PLAIN = re.compile(r"[a-z][a-z0-9_]*|[0-9]+")
# Words of their notation and their built-in predicates.
RESERVED = set(
    """all any append assert atom atomic bagof call compound consult cost cut diff different double equal exists fail false findall first
    float forall forany ground halt head import integer intersection is isa isvar length list literal member mode nonvar not number once or and
    position precompute print push random range remove repeat rest retract reverse round setof setparam sign sort spy term then
    thereexists trace true type unify union useleadingquestionmarkvariables useprologvariables usestdlogicvariables usestdlogicnotation
    useprolognotation var wait weight wgt write""".split()
)
TOKEN = re.compile(r"""\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\s"'(),]+|[(),])""")
MODE = re.compile(r"mode\s*:\s*(.*)\.")
RANGE = re.compile(r"range\s*:\s*([a-z][a-z0-9_]*)\s*=\s*\{(.*)\}\s*\.")
BRIDGER = re.compile(r"bridger\s*:\s*(.*)/([0-9]+)\s*\.")
# Directives without a meaning for the task: parameters come from job.json, and names are written in Prolog notation.
IGNORED = re.compile(r"(setParam|usePrologVariables|useStdLogicVariables|useStdLogicNotation|usePrologNotation)\s*:")


class Failure(Exception):
    def __init__(self, message, code=1):
        super().__init__(message)
        self.code = code


def main():
    args = arguments()
    try:
        if args.version:
            print(f"{program_version(args.jar)}, Java {java_version()}")
        else:
            run(args)
    except Failure as failure:
        print(f"srlearn_adapter: {failure}", file=sys.stderr)
        sys.exit(failure.code)
    except (OSError, ValueError, KeyError) as error:
        print(f"srlearn_adapter: {type(error).__name__}: {error}; is this the directory of a job?", file=sys.stderr)
        sys.exit(1)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solver", choices=["SRLBoost", "BoostSRL"], default="SRLBoost", help="the program [default: SRLBoost]")
    parser.add_argument("--method", choices=["rdn", "mln"], default="rdn", help="RDN-Boost, or MLN-Boost of BoostSRL [default: rdn]")
    parser.add_argument("--jar", type=Path, help="the program, if it is not one of srlearn")
    parser.add_argument("--version", action="store_true", help="print the versions of the package and of Java")
    args = parser.parse_args()
    if args.method == "mln" and args.solver == "SRLBoost" and not args.jar:
        parser.error("SRLBoost has no MLN-Boost: use --solver BoostSRL")
    return args


def program_version(jar):
    if jar:
        if not jar.is_file():
            raise Failure(f"{jar} is not a file: name the program with --jar")
        return f"{jar.name} {hashlib.sha256(jar.read_bytes()).hexdigest()[:16]}"
    try:
        return f"srlearn {importlib.metadata.version('srlearn')}"
    except importlib.metadata.PackageNotFoundError:
        raise Failure("the package srlearn is missing: install it with `pip install srlearn==0.5.5`") from None


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
    info = {"program": program_version(args.jar), "java": java_version(), "solver": args.solver, "method": args.method}
    # Looked up, not imported: importing takes a second.
    jar = args.jar or Path(importlib.util.find_spec("srlearn").origin).with_name(f"{args.solver}.jar")
    if args.jar:
        del info["solver"]
    names = Names()
    target = names.predicate(job["target"])
    queries = write_data(names, params)
    java = ["java", *java_options(job), "-jar", str(jar)]
    common = ["-target", target, "-trees", str(params["trees"]), *(["-mln"] if args.method == "mln" else [])]
    info["train_seconds"] = call([*java, "-l", "-train", "srl/train/", *common, "-negPosRatio", f"{params['neg_pos_ratio']:g}"], "train")
    info["predict_seconds"] = call([*java, "-i", "-test", "srl/test/", "-model", "srl/train/models/", *common], "test")
    write_scores(queries, read_results(Path("srl/test") / f"results_{target}.db"))
    write_model(names)
    Path("info.json").write_text(json.dumps(info, indent=1) + "\n")


def parameters(given):
    for name in given:
        if name not in PARAMETERS:
            raise Failure(f"unknown parameter `{name}`; expected some of {', '.join(PARAMETERS)}")
    params = {**PARAMETERS, **given}
    for name, value in params.items():
        real = name == "neg_pos_ratio"
        if isinstance(value, bool) or not isinstance(value, (int, float) if real else int) or value < 1:
            raise Failure(f"parameter `{name}` must be {'a number' if real else 'an integer'} of at least 1, got {value!r}")
    return params


def java_options(job):
    """Java would use every core and a quarter of the machine's memory; the job's limits are stricter."""
    options = [f"-XX:ActiveProcessorCount={job.get('threads') or 1}"]
    memory = (job.get("limits") or {}).get("memory_bytes")
    # The rest is for the program itself, its stacks and this process.
    return [*options, f"-Xmx{max(16, int(memory * 0.75) >> 20)}m"] if memory else options


def call(command, name):
    """Runs a command; returns its seconds."""
    log = Path(f"{name}.log")
    began = time.monotonic()
    with open(log, "wb") as file:
        code = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
    seconds = round(time.monotonic() - began, 3)
    # An error may leave exit code 0.
    text = log.read_text(errors="replace")
    if code != 0 or "Exception in thread" in text:
        print("\n".join(text.splitlines()[-15:]), file=sys.stderr)
        raise Failure(f"`{' '.join(command)}` ended with exit code {code}")
    return seconds


# Data


def write_data(names, params):
    """Writes the data as the programs read them; returns the queries by their written atoms.

    All queries are test negatives. Which side they are on has no influence on their probabilities, and negatives are never evidence.
    """
    settings = {"nodeSize": "node_size", "maxTreeDepth": "max_depth", "numOfClauses": "clauses", "numOfCycles": "cycles"}
    background = ["usePrologVariables: true.", *(f"setParam: {theirs}={params[ours]}." for theirs, ours in settings.items())]
    background += translated(names, Path("train/train_bk.txt"))
    for side in ("train", "test"):
        home = Path("srl") / side
        home.mkdir(parents=True)
        (home / f"{side}_bk.txt").write_text("\n".join(background) + "\n")
        write_lines(home / f"{side}_facts.txt", (names.atom(line) for line in lines(Path(side) / f"{side}_facts.txt")))
    for label in ("pos", "neg"):
        examples = [names.atom(line) for line in lines(Path(f"train/train_{label}.txt"))]
        if not examples:
            raise Failure(f"train/train_{label}.txt has no examples, without which the programs cannot learn", UNSUPPORTED)
        write_lines(Path(f"srl/train/train_{label}.txt"), examples)
    queries = {names.atom(line): line.removesuffix(".").strip() for line in lines(Path("test/queries.txt"))}
    write_lines(Path("srl/test/test_pos.txt"), [])
    write_lines(Path("srl/test/test_neg.txt"), queries)
    return queries


def lines(path):
    """Yields the sentences of a file, one per line, without comments."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.strip()
            if line and not line.startswith(("%", "//")):
                yield line


def write_lines(path, atoms):
    with open(path, "w", encoding="ascii") as file:
        file.writelines(f"{atom}.\n" for atom in atoms)


def translated(names, path):
    """Yields the directives of a background file."""
    for line in lines(path):
        if found := MODE.fullmatch(line):
            yield names.mode(found[1])
        elif found := RANGE.fullmatch(line):
            yield f"range: {found[1]} = {{{', '.join(map(names.constant, parse(f'x({found[2]})')[1]))}}}."
        elif found := BRIDGER.fullmatch(line):
            yield f"bridger: {names.predicate(found[1])}/{found[2]}."
        elif not IGNORED.match(line):
            raise Failure(f"{path}: `{line}` cannot be expressed", UNSUPPORTED)


class Names:
    """A translation of names into names that the programs read without quotes."""

    def __init__(self):
        self.safe = {}
        self.original = {}

    def constant(self, text):
        name = unquoted(text)
        # A quoted "5" is a name, and 5 is a number: the text, not its content, tells them apart.
        key = name if PLAIN.fullmatch(name) and (text == name or not name[0].isdigit()) else text
        return self.translate("k", key)

    def predicate(self, text):
        return self.translate("p", unquoted(text))

    def translate(self, kind, name):
        if (kind, name) not in self.safe:
            safe = name
            if not PLAIN.fullmatch(name) or name in RESERVED or re.fullmatch(r"[kp]_\d+", name) or (kind == "p" and name[0].isdigit()):
                safe = f"{kind}_{len(self.original)}"
                self.original[safe] = name
            self.safe[kind, name] = safe
        return self.safe[kind, name]

    def atom(self, line):
        predicate, terms = parse(line)
        return f"{self.predicate(predicate)}({','.join(map(self.constant, terms))})" if terms else self.predicate(predicate)

    def mode(self, text):
        predicate, terms = parse(text)
        for term in terms:
            if not re.fullmatch(r"[-+#][a-z][a-z0-9_]*", term):
                raise Failure(f"the mode `{text}` cannot be expressed: argument `{term}` is not `+`, `-` or `#` and a type", UNSUPPORTED)
        if not re.match(r"[\w\"']", predicate):
            raise Failure(f"the mode `{text}` cannot be expressed: comparisons are not translated", UNSUPPORTED)
        return f"mode: {self.predicate(predicate)}({','.join(terms)})."


def parse(line):
    """Returns predicate and arguments of an atom as written; nested terms stay whole."""
    tokens, at = [], 0
    text = line.removesuffix(".")
    while at < len(text.rstrip()):
        found = TOKEN.match(text, at)
        if not found:
            raise Failure(f"cannot read `{line}`", UNSUPPORTED)
        tokens.append(found[1])
        at = found.end()
    if len(tokens) == 1:
        return tokens[0], []
    if len(tokens) < 4 or tokens[1] != "(" or tokens[-1] != ")":
        raise Failure(f"`{line}` is not an atom such as `p(a,b)`; weights and clauses are not translated", UNSUPPORTED)
    terms, depth = [""], 0
    for token in tokens[2:-1]:
        depth += (token == "(") - (token == ")")
        if token == "," and depth == 0:
            terms.append("")
        else:
            terms[-1] += token
    if depth != 0 or not all(terms):
        raise Failure(f"`{line}` is not an atom such as `p(a,b)`", UNSUPPORTED)
    return tokens[0], terms


def unquoted(text):
    if text[0] not in "\"'":
        return text
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t", "r": "\r"}.get(found[1], found[1]), text[1:-1])


# Results


def read_results(path):
    """Returns the probability of each atom; a negative is listed as `!p(a, b)` with the probability of its label."""
    if not path.exists():
        raise Failure(f"the program wrote no {path}; see train.log and test.log")
    results = {}
    for line in lines(path):
        found = re.fullmatch(r"(!?)(.*?)\s+(\S+)", line)
        if not found:
            raise Failure(f"cannot read `{line}` in {path}")
        value = float(found[3])
        results[found[2].replace(" ", "")] = 1.0 - value if found[1] else value
    return results


def write_scores(queries, results):
    missing = [query for atom, query in queries.items() if atom not in results]
    if missing:
        raise Failure(f"the program gave no probability for {len(missing)} of {len(queries)} queries, such as `{missing[0]}`")
    with open("scores.csv", "w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["example", "probability"])
        table.writerows([query, repr(min(max(results[atom], 0.0), 1.0))] for atom, query in queries.items())


def write_model(names):
    """Keeps the trees, with a list of the names that were replaced."""
    theories = sorted(Path("srl/train/models/WILLtheories").glob("*.txt"))
    renamed = "".join(f"% {safe} is {original!r}\n" for safe, original in names.original.items())
    Path("model.txt").write_text(renamed + "".join(path.read_text(errors="replace") for path in theories), encoding="utf-8")


if __name__ == "__main__":
    main()
