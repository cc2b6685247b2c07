package sealedpush

import (
	"bytes"
	"crypto/sha512"
	"fmt"
	"strings"
)

const (
	safetyContext = "SealedPush/1 safety"
	safetyMark    = "SPS1"
	safetyHashes  = 5200
)

// SafetyNumber is what two people compare, so that nobody is in between: twelve groups of five digits, the same on both
// sides (section 17). One key is a SenderPublicKey, the other an IdentityKey; their order does not matter.
func SafetyNumber(one, other [32]byte) string {
	first, second := safetyDigits(one), safetyDigits(other)
	if second < first {
		first, second = second, first
	}
	return first + " " + second
}

// safetyDigits is fp(K). It costs some milliseconds on purpose: they are an attacker's for each try.
func safetyDigits(key [32]byte) string {
	digest := sha512.Sum512(append(prefixed(safetyContext), key[:]...))
	for i := 1; i < safetyHashes; i++ {
		digest = sha512.Sum512(append(digest[:], key[:]...))
	}
	groups := make([]string, 6)
	for i := range groups {
		number := uint64(0)
		for _, b := range digest[5*i : 5*i+5] {
			number = number<<8 | uint64(b)
		}
		groups[i] = fmt.Sprintf("%05d", number%100_000)
	}
	return strings.Join(groups, " ")
}

// SafetyCode is the QR code's text for the same keys: 91 characters.
func SafetyCode(one, other [32]byte) string {
	if bytes.Compare(other[:], one[:]) < 0 {
		one, other = other, one
	}
	return base64url.EncodeToString(append(append([]byte(safetyMark), one[:]...), other[:]...))
}

// SafetyVerdict is what a comparison of safety codes came to.
type SafetyVerdict string

const (
	// SafetyMatch means that both sides have the same two keys.
	SafetyMatch SafetyVerdict = "match"
	// SafetyMismatch is a code of other keys: a third party may be in between. Warn loudly.
	SafetyMismatch SafetyVerdict = "mismatch"
	// NotASafetyCode means that nothing was compared.
	NotASafetyCode SafetyVerdict = "not-a-code"
)

// CompareSafetyCode compares what was scanned with this side's keys.
func CompareSafetyCode(scanned string, one, other [32]byte) SafetyVerdict {
	code := make([]byte, 68)
	if decodeInto(code, []byte(scanned)) != nil || !bytes.HasPrefix(code, []byte(safetyMark)) ||
		bytes.Compare(code[4:36], code[36:]) > 0 {
		return NotASafetyCode
	}
	if scanned != SafetyCode(one, other) {
		return SafetyMismatch
	}
	return SafetyMatch
}
