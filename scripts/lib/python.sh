# Finds an interpreter that can run the simulator. Sourced after common.sh and packages.sh.
# shellcheck shell=bash disable=SC2034 # `python` is for environment.sh

supported_pythons=(3.11 3.10) # `requires-python` in pyproject.toml, the preferred one first

# find_python: sets `python` to an interpreter that can make virtual environments; gets one from apt where that is allowed.
find_python() {
    local candidate found=()
    while read -r candidate; do
        is_supported "$candidate" || continue
        if can_make_environments "$candidate"; then
            python=$candidate
            return
        fi
        found+=("$candidate")
    done < <(python_candidates)
    get_python "${found[0]:-}"
}

python_candidates() {
    local release
    if [[ -n ${SIMULATOR_PYTHON:-} ]]; then
        printf '%s\n' "$SIMULATOR_PYTHON"
        return
    fi
    for release in "${supported_pythons[@]}"; do printf 'python%s\n' "$release"; done
    printf '%s\n' python3 python
    for release in "${supported_pythons[@]}"; do
        compgen -G "${PYENV_ROOT:-$HOME/.pyenv}/versions/$release.*/bin/python" || true
        compgen -G "${XDG_DATA_HOME:-$HOME/.local/share}/uv/python/cpython-$release.*/bin/python$release" || true
    done
}

is_supported() {
    local version
    version=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2], sys.implementation.name)' 2>/dev/null) || return 1
    [[ " ${supported_pythons[*]/%/ cpython} " == *" $version "* ]]
}

can_make_environments() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }

# get_python [INCOMPLETE]: no usable interpreter is here; INCOMPLETE is a supported one that only lacks Debian's venv package.
get_python() {
    local incomplete=$1 release
    if [[ -n $incomplete ]]; then
        release=$("$incomplete" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        offer_packages "Python $release ($incomplete) lacks its modules venv and ensurepip." "python$release-venv"
        python=$incomplete
        return
    fi
    for release in "${supported_pythons[@]}"; do
        if [[ -z ${SIMULATOR_PYTHON:-} ]] && is_package "python$release"; then
            offer_packages "The simulator needs Python 3.10 or 3.11; none is installed." "python$release" "python$release-venv"
            python=python$release
            return
        fi
    done
    fail "The simulator needs Python 3.10 or 3.11: PyBullet has wheels for no newer one. Found: $(versions_seen)" \
        "Get one and start again, for example with one of" \
        "    sudo apt-get install -y python3.11 python3.11-venv     (Debian 12)" \
        "    sudo apt-get install -y python3.10 python3.10-venv     (Ubuntu 22.04)" \
        "    uv python install 3.11" \
        "    pyenv install 3.11" \
        "or name one:  SIMULATOR_PYTHON=/path/to/python3.11 $0 …"
}

versions_seen() {
    local candidate version seen=
    while read -r candidate; do
        if version=$("$candidate" --version 2>/dev/null); then
            seen+="${seen:+, }$candidate is $version"
        fi
    done < <(python_candidates)
    printf '%s' "${seen:-no Python at all}"
}
