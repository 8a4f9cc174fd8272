#!/bin/sh
# deps.sh PACKAGE...: installs the Debian packages that are missing. Asks for root only when it must.
set -eu
missing=
for p in "$@"; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $p"
done
if [ -z "$missing" ]; then
    echo "deps: all there"
    exit 0
fi
echo "deps: installing$missing"
sudo=
[ "$(id -u)" = 0 ] || sudo=sudo
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get install -y --no-install-recommends $missing >/tmp/tdtop-deps.$$ 2>&1 ||
    { $sudo apt-get update && $sudo apt-get install -y --no-install-recommends $missing; } >/tmp/tdtop-deps.$$ 2>&1 ||
    { cat /tmp/tdtop-deps.$$; rm -f /tmp/tdtop-deps.$$; echo "deps: apt-get could not install$missing; see above" >&2; exit 1; }
rm -f /tmp/tdtop-deps.$$
