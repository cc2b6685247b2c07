module sealedpush.example/sealedpush

go 1.19

require golang.org/x/crypto v0.4.0

require golang.org/x/sys v0.3.0 // indirect

replace golang.org/x/crypto => /usr/share/gocode/src/golang.org/x/crypto

replace golang.org/x/sys => /usr/share/gocode/src/golang.org/x/sys
