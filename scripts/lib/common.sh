# Shared by all scripts: where the checkout is, and how a script speaks. Everything said goes to standard error,
# so that standard output belongs to the program. Meant to be sourced.
# shellcheck shell=bash

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd -P)
venv="$root/.venv"
setup_log="$venv/setup.log"

# shellcheck source=/dev/null
source "$root/scripts/lib/progress.sh"

say() { printf '%s\n' "$*" >&2; }

# fail LINE…: one line each on standard error, exit code 1.
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

# stage TITLE COMMAND…: runs the command with its output in the log and shows its progress; shows the end of the log
# where it fails.
stage() {
    local title=$1 started=$SECONDS ticker code=0 start
    shift
    printf '\n=== %s: %s\n' "$title" "$*" >>"$setup_log"
    start=$(stat -c %s -- "$setup_log")
    touch "$venv/.stage"
    if [[ -t 2 ]]; then shortened "$title …" >&2; else printf '%s …\n' "$title" >&2; fi
    tick "$title" "$$" "$start" 9>&- &
    ticker=$!
    "$@" >>"$setup_log" 2>&1 9>&- || code=$?
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    [[ ! -t 2 ]] || printf '\r\033[K%s …' "$title" >&2
    if ((code != 0)); then
        printf ' failed\n\n' >&2
        tail -n 25 "$setup_log" >&2
        fail "" "This stage failed: $title" "The whole log: $setup_log"
    fi
    if [[ ! -t 2 ]]; then printf '    done,' >&2; fi
    printf ' %d s\n' "$((SECONDS - started))" >&2
}
