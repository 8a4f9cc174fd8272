#!/bin/sh
# hardening.sh FOLDER: FOLDER/tdtop is built as a program that others attack. Ends with "hardening: N passed, N failed".
folder=$1 pass=0 fail=0
command -v readelf >/dev/null || { echo "SKIP hardening: readelf (binutils) is not installed"; exit 0; }
has() { # what, regular expression, of, readelf options
    if readelf -W "$4" "$3" 2>/dev/null | grep -qE "$2"; then
        pass=$((pass + 1))
    else
        fail=$((fail + 1))
        echo "FAILED $1: readelf $4 $3 has no $2"
    fi
}
has 'position independent' 'Type: +DYN' "$folder/tdtop" -h
has 'RELRO' 'GNU_RELRO' "$folder/tdtop" -l
has 'bound at the start' 'FLAGS.*NOW' "$folder/tdtop" -d
has 'a stack without code' 'GNU_STACK.* RW ' "$folder/tdtop" -l
has 'checks of stack frames' '__stack_chk_fail' "$folder/tdtop" --dyn-syms
has 'checks of buffers' '__(sn|vsn|f)printf_chk' "$folder/tdtop" --dyn-syms
# The linker marks the program only if the C library's own start files are so, too: our objects are what we decide.
case $(uname -m) in
x86_64) has 'CET' 'IBT.*SHSTK|SHSTK.*IBT' "$folder/main.o" -n ;;
aarch64) has 'BTI' 'BTI.*PAC|PAC.*BTI' "$folder/main.o" -n ;;
esac
echo "hardening: $pass passed, $fail failed"
[ "$fail" = 0 ]
