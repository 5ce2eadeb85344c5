# Shared by all scripts: where the checkout is, and how a script speaks. Everything said goes to standard error,
# so that standard output belongs to the program. Meant to be sourced.
# shellcheck shell=bash

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
venv="$root/.venv"
setup_log="$venv/setup.log"

say() { printf '%s\n' "$*" >&2; }

# fail LINE…: one line each on standard error, exit code 1.
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

# stage TITLE COMMAND…: runs the command with its output in the log; shows the end of the log where it fails.
stage() {
    local title=$1 started=$SECONDS ticker=
    shift
    printf '%s …' "$title" >&2
    if [[ -t 2 ]]; then
        tick "$title" "$$" &
        ticker=$!
    fi
    local code=0
    printf '\n=== %s: %s\n' "$title" "$*" >>"$setup_log"
    "$@" >>"$setup_log" 2>&1 9>&- || code=$?
    if [[ -n $ticker ]]; then
        kill "$ticker" 2>/dev/null || true
        wait "$ticker" 2>/dev/null || true
        printf '\r\033[K%s …' "$title" >&2
    fi
    if ((code != 0)); then
        printf ' failed\n\n' >&2
        tail -n 25 "$setup_log" >&2
        fail "" "This stage failed: $title" "The whole log: $setup_log"
    fi
    printf ' %d s\n' "$((SECONDS - started))" >&2
}

# tick TITLE PID: on a terminal, shows that time passes for as long as the script with that PID lives.
tick() {
    local title=$1 owner=$2 started=$SECONDS
    while sleep 1 && kill -0 "$owner" 2>/dev/null; do
        printf '\r\033[K%s … %d s' "$title" "$((SECONDS - started))" >&2
    done
}
