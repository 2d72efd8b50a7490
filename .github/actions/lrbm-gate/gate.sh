#!/usr/bin/env bash
# The steps of the gate in continuous integration: get the program, fetch data, run the spec, check, write the summary.
#
# Variables: SPEC (required), LRBM (program) or LRBM_VERSION with LRBM_RELEASES (download), otherwise the program is built from the
# source that this script belongs to; BASELINE, STRICT=true, DATASETS, RECORD, OUT, SUMMARY (file that Markdown is appended to).
#
# `gate.sh --digest` prints a digest of that source instead, which names the cache of its build.
set -euo pipefail

source="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)"
if [ "${1:-}" = --digest ]; then
  cd "$source"
  find Cargo.toml Cargo.lock build.rs src datasets/*.toml -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | sha256sum | cut -c 1-16
  exit
fi

if [ -z "${SPEC:-}" ]; then
  echo "SPEC is empty: give the spec of an experiment, such as experiments/regression.toml" >&2
  exit 2
fi
out="${OUT:-results/runs/gate}"

download() {
  local target=x86_64-unknown-linux-gnu name directory
  name="lrbm-$LRBM_VERSION-$target"
  directory="${XDG_CACHE_HOME:-$HOME/.cache}/lrbm-gate/$LRBM_VERSION"
  mkdir -p "$directory"
  for file in "$name.tar.gz" "$name.tar.gz.sha256"; do
    curl --fail --silent --show-error --location --output "$directory/$file" "$LRBM_RELEASES/$LRBM_VERSION/$file"
  done
  # An archive that is not the published one is not unpacked.
  (cd "$directory" && sha256sum --check --quiet "$name.tar.gz.sha256") >&2
  tar -xzf "$directory/$name.tar.gz" -C "$directory"
  LRBM="$directory/$name/lrbm"
}

build() {
  export CARGO_TARGET_DIR="${XDG_CACHE_HOME:-$HOME/.cache}/lrbm-gate/target"
  cargo build --release --locked --manifest-path "$source/Cargo.toml" >&2
  LRBM="$CARGO_TARGET_DIR/release/lrbm"
}

if [ -z "${LRBM:-}" ]; then
  if [ -n "${LRBM_VERSION:-}" ]; then download; else build; fi
fi
"$LRBM" --version

if [ -n "${DATASETS:-}" ]; then
  # Hosts may be down; the gate checks the datasets that are available.
  # shellcheck disable=SC2086
  "$LRBM" datasets fetch $DATASETS || echo "some datasets cannot be fetched and are not checked" >&2
fi

# From scratch: results of another version of the program say nothing about this one. Where jobs fail (3), the others are checked.
failed=0
"$LRBM" run "$SPEC" --available --fresh --out "$out" || failed=$?
if [ "$failed" -ne 0 ] && [ "$failed" -ne 3 ]; then exit "$failed"; fi

arguments=(--markdown "$out/gate.md" --junit "$out/gate.xml")
if [ -n "${BASELINE:-}" ]; then arguments+=(--baseline "$BASELINE"); fi
if [ "${STRICT:-}" = true ]; then arguments+=(--strict); fi
if [ -n "${RECORD:-}" ]; then
  arguments+=(--record "$RECORD")
  # The commit of the tested repository, which need not be that of the program.
  commit="${GITHUB_SHA:-${CI_COMMIT_SHA:-}}"
  commit="${commit:0:12}"
  if [ -z "$commit" ] && commit="$(git rev-parse --short=12 HEAD 2>/dev/null)"; then
    if [ -n "$(git status --porcelain --untracked-files=no)" ]; then commit+=-dirty; fi
  fi
  if [ -n "$commit" ]; then arguments+=(--commit "$commit"); fi
fi
code=0
"$LRBM" check "$out" "${arguments[@]}" || code=$?
if [ -n "${SUMMARY:-}" ] && [ -f "$out/gate.md" ]; then cat "$out/gate.md" >> "$SUMMARY"; fi
# The worse: a regression (5) or rows that cannot be compared (6) say more than that a job failed.
if [ "$failed" -gt "$code" ]; then code=$failed; fi
exit "$code"
