# The virtual environment of the checkout, .venv: made at the first start, renewed when what it is made from has
# changed. Sourced after common.sh, packages.sh and python.sh.
# shellcheck shell=bash disable=SC2154 # root, venv and setup_log are common.sh's, python is python.sh's

declare -A size=([runtime]='1 GB in the end' [dev]='2.6 GB in the end')

# ensure_environment text|runtime|dev: returns at once where .venv is as wanted; several starts at the same time wait
# for one.
ensure_environment() {
    local kind=$1
    is_current "$kind" && return
    mkdir -p "$venv"
    exec 9>"$venv/.setup.lock"
    if ! flock --nonblock 9; then
        say "Another start is preparing .venv; waiting for it …"
        until flock --wait "$every" 9; do say "    $(news_of 0)"; done
    fi
    is_current "$kind" || build_environment "$kind"
    exec 9>&-
}

build_environment() {
    local kind=$1 extra='[xacro,compile]' steps=3 linker=()
    has_linker || linker=('ziglang>=0.13')
    [[ $kind != text ]] || steps=2
    [[ $kind == dev ]] && extra='[dev]'
    rm -f "$venv"/.installed-*
    printf '=== %s\n' "$(date)" >"$setup_log"
    if has_pip; then
        say "[1/$steps] .venv is there: Python $(python_release)"
    else
        find_python
        rm -f "$venv/bin/python" "$venv/bin/python3" "$venv/bin/python3".* # links to an interpreter that has gone
        stage "[1/$steps] creating .venv with $("$python" --version)" "$python" -m venv "$venv"
    fi
    if [[ $kind == text ]]; then # what `--help` loads; the rest comes when something is simulated
        stage "[2/2] installing the command line" install_python_packages typer
        fingerprint >"$venv/.installed-text"
        return
    fi
    stage "[2/3] installing packages ($kind; about ${size[$kind]}, a minute or more the first time)" \
        install_python_packages -e "$root$extra" ${linker[@]+"${linker[@]}"}
    stage "[3/3] checking that the program starts" "$venv/bin/python" -c 'import numpy, simulator'
    fingerprint >"$venv/.installed-runtime"
    [[ $kind != dev ]] || fingerprint >"$venv/.installed-dev"
    has_bullet || install_kept_bullet || [[ $kind == dev || ${with_bullet:-no} == yes ]] ||
        say "PyBullet has no wheel for $("$venv/bin/python" --version) on $(uname -m):" \
            "all but strategy gear and some contacts works without." \
            "\`scripts/run --with-bullet\` compiles it once, in some minutes, and keeps the result."
}

# By uv where it is and reaches an index, else by pip.
install_python_packages() {
    if command -v uv >/dev/null &&
        uv pip install --python "$venv/bin/python" --no-progress -c "$root/constraints.txt" "$@"; then
        return
    fi
    "$venv/bin/python" -m pip install --disable-pip-version-check --no-input -c "$root/constraints.txt" "$@"
}

# Whether there is something that makes a shared library of compiled kernels; zig does where there is nothing.
has_linker() {
    local name
    for name in cc gcc clang ld; do ! command -v "$name" >/dev/null || return 0; done
    return 1
}

# Whether .venv has the packages of that kind, from these very files, at this very place.
is_current() {
    local stamp="$venv/.installed-$1"
    [[ $1 != text || ! -e $venv/.installed-runtime ]] || stamp="$venv/.installed-runtime"
    [[ -r $stamp && -x $venv/bin/python && $(<"$stamp") == "$(fingerprint)" ]]
}

fingerprint() {
    { cat -- "$root/pyproject.toml" "$root/constraints.txt" && python_release && printf '%s\n' "$root"; } | sha256sum
}

python_release() { sed -n 's/^version *= *//p' "$venv/pyvenv.cfg" 2>/dev/null || true; }

# An environment of a supported Python with a working pip, whoever made it.
has_pip() { is_supported "$venv/bin/python" && "$venv/bin/python" -m pip --version >/dev/null 2>&1; }
