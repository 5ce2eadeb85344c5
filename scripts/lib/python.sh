# Finds an interpreter that can run the simulator. Sourced after common.sh and packages.sh.
# shellcheck shell=bash disable=SC2034 # `python` is for environment.sh

# `requires-python` in pyproject.toml; first those for which PyBullet has wheels
supported_pythons=(3.11 3.10 3.13 3.12 3.14)

# find_python: sets `python` to an interpreter that can make virtual environments; gets one from apt where that is
# allowed.
find_python() {
    local candidate incomplete=
    while read -r candidate; do
        is_supported "$candidate" || continue
        if can_make_environments "$candidate"; then
            python=$candidate
            return
        fi
        incomplete=${incomplete:-$candidate}
    done < <(python_candidates)
    if [[ -n $incomplete ]]; then
        complete_python "$incomplete"
    else
        get_python
    fi
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

# Pre-releases do not count: Ubuntu 22.04 offers a 3.11.0rc1.
is_supported() {
    local version asked='print("%d.%d" % v[:2], sys.implementation.name, v.releaselevel)'
    version=$("$1" -c "import sys; v = sys.version_info; $asked" 2>/dev/null) || return 1
    [[ " ${supported_pythons[*]/%/ cpython final} " == *" $version "* ]]
}

can_make_environments() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }

# complete_python PYTHON: Debian ships the modules that make virtual environments in a package of their own.
complete_python() {
    local release
    release=$("$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    offer_packages "Python $release ($1) lacks its modules venv and ensurepip." "python$release-venv"
    python=$1
}

# No interpreter of a supported version is here: take the distribution's own.
get_python() {
    local release
    if [[ -z ${SIMULATOR_PYTHON:-} ]] && may_install; then
        is_package python3 || refresh_lists
        release=$(apt-cache show --no-all-versions python3 2>/dev/null | sed -n 's/^Version: \([0-9]*\.[0-9]*\).*/\1/p')
        if [[ " ${supported_pythons[*]} " == *" $release "* ]]; then
            offer_packages "The simulator needs Python 3.10 to 3.14; none is installed." \
                "python$release" "python$release-venv"
            python=python$release
            return
        fi
    fi
    fail "The simulator needs Python 3.10 to 3.14. Found: $(versions_seen)" \
        "Get one and start again, for example with one of" \
        "    sudo apt-get install -y python3 python3-venv     (Debian 12 and 13, Ubuntu 22.04 and later)" \
        "    uv python install 3.11                           (any Linux)" \
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
