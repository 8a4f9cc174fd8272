#!/bin/sh
# size.sh FILE: the program with all its models stays under 5 MB.
limit=$((5 * 1024 * 1024))
size=$(stat -c %s "$1") || exit 2
echo "size: $1 has $size bytes, limit $limit"
[ "$size" -lt "$limit" ]
