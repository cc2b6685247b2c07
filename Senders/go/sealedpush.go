// Package sealedpush seals push notifications end to end: neither Apple nor the relay can read them.
//
// docs/protocol.md of this project is the specification; "section" in a comment is one of its sections.
package sealedpush

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// ErrTopic says that a text is no bundle id of an app.
const ErrTopic = constantError("a topic has 1 to 155 letters, digits, hyphens and periods")

// ErrTime says that a time is before 1970, or 2^53 milliseconds after it or later.
const ErrTime = constantError("a time is out of range")

// ErrRandom says that the system gave no random bytes; nothing was made of them.
const ErrRandom = constantError("no random bytes")

type constantError string

func (e constantError) Error() string { return "sealedpush: " + string(e) }

// clockSkew is the most that a device's clock may be ahead of the sender's, in milliseconds.
const clockSkew = 5 * 60 * 1000

// timeLimit is the first time that no field may hold.
const timeLimit = 1 << 53

func milliseconds(t time.Time) (uint64, error) {
	ms := t.UnixMilli()
	if ms < 0 || ms >= timeLimit {
		return 0, ErrTime
	}
	return uint64(ms), nil
}

func isTopic(text string) bool { return len(text) <= 155 && topicPattern.MatchString(text) }

var topicPattern = regexp.MustCompile(`\A[A-Za-z0-9.-]+\z`)

var base64url = base64.RawURLEncoding.Strict()

// decodeBase64URL takes canonical texts only; Go's decoder skips line ends.
func decodeBase64URL(text string) ([]byte, bool) {
	if strings.ContainsAny(text, "\r\n") {
		return nil, false
	}
	decoded, err := base64url.DecodeString(text)
	return decoded, err == nil
}

// decodeInto decodes a text of exactly as many bytes, without a copy of a secret.
func decodeInto(out []byte, text []byte) error {
	if len(text) != base64url.EncodedLen(len(out)) {
		return fmt.Errorf("sealedpush: expected %d characters of base64url", base64url.EncodedLen(len(out)))
	}
	if _, err := base64url.Decode(out, text); err != nil || bytes.ContainsAny(text, "\r\n") {
		return constantError("not base64url")
	}
	return nil
}

// prefixed is LP(text): a byte with the length, then the text.
func prefixed(text string) []byte { return append([]byte{byte(len(text))}, text...) }

func appendUint64(bytes []byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64(bytes, number)
}

func randomBytes(out []byte) error {
	if _, err := rand.Read(out); err != nil {
		return ErrRandom
	}
	return nil
}

// wipe zeroes a secret. Copies that the runtime or a library made are out of its reach.
func wipe(secrets ...[]byte) {
	for _, secret := range secrets {
		for i := range secret {
			secret[i] = 0
		}
	}
}

// redacted prints a value by its name alone, whatever the verb.
func redacted(f fmt.State, name string) { fmt.Fprint(f, "sealedpush.", name) }
