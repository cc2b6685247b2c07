package sealedpush

import (
	"bytes"
	"crypto/ed25519"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"strings"
)

// KeyError is a reason to refuse a text as a public key.
type KeyError string

const (
	// WrongPrefix is a text of another kind, perhaps the key of another role.
	WrongPrefix KeyError = "wrong-prefix"
	// NotAKey is no usable Ed25519 key in base64url.
	NotAKey KeyError = "not-a-key"
)

func (e KeyError) Error() string { return "sealedpush: public key: " + string(e) }

// IdentityKey is a device's long-lived public key. It comes from the app's own authenticated channel, never from the relay.
type IdentityKey [32]byte

// SenderPublicKey is what devices keep as a contact.
type SenderPublicKey [32]byte

const (
	identityPrefix = "sealedpush-identity-1:"
	senderPrefix   = "sealedpush-sender-1:"
)

// ParseIdentityKey reads the text form; white space around it is ignored.
func ParseIdentityKey(text string) (IdentityKey, error) {
	key, err := parseKey(text, identityPrefix)
	return IdentityKey(key), err
}

// ParseSenderPublicKey reads the text form; white space around it is ignored.
func ParseSenderPublicKey(text string) (SenderPublicKey, error) {
	key, err := parseKey(text, senderPrefix)
	return SenderPublicKey(key), err
}

func (k IdentityKey) String() string { return identityPrefix + base64url.EncodeToString(k[:]) }

func (k SenderPublicKey) String() string { return senderPrefix + base64url.EncodeToString(k[:]) }

func parseKey(text, prefix string) (key [32]byte, err error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, prefix) {
		return key, WrongPrefix
	}
	if decodeInto(key[:], []byte(text[len(prefix):])) != nil || !isAcceptable(key[:]) {
		return [32]byte{}, NotAKey
	}
	return key, nil
}

// smallOrder has the y-coordinates of the eight points of small order: 0, 1, p - 1 and two of order 8.
var smallOrder = func() (encodings [][]byte) {
	for _, text := range []string{
		"0000000000000000000000000000000000000000000000000000000000000000",
		"0100000000000000000000000000000000000000000000000000000000000000",
		"ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
		"26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
		"c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
	} {
		encoding, _ := hex.DecodeString(text)
		encodings = append(encodings, encoding)
	}
	return encodings
}()

// isAcceptable checks what Go's verifier does not (section 2): a canonical y, and no small order.
func isAcceptable(point []byte) bool {
	y := append([]byte(nil), point...)
	y[31] &= 0x7f
	if y[0] >= 0xed && y[31] == 0x7f && bytes.Count(y[1:31], []byte{0xff}) == 30 {
		return false
	}
	for _, encoding := range smallOrder {
		if bytes.Equal(y, encoding) {
			return false
		}
	}
	return true
}

// verify checks an Ed25519 signature. Go's verifier refuses an S above the group order and uses no cofactor.
func verify(key [32]byte, signed, signature []byte) bool {
	return isAcceptable(key[:]) && isAcceptable(signature[:32]) && ed25519.Verify(key[:], signed, signature)
}

// ErrWiped says that SenderKey.Wipe was called: load the key again.
const ErrWiped = constantError("the sender's key was wiped")

// SenderKey is a sender's signing key. Devices know a sender by it alone: make it once, and load it at every start.
type SenderKey struct {
	key    ed25519.PrivateKey
	public SenderPublicKey
}

// NewSenderKey makes a random key.
func NewSenderKey() (*SenderKey, error) {
	seed := make([]byte, ed25519.SeedSize)
	defer wipe(seed)
	if err := randomBytes(seed); err != nil {
		return nil, err
	}
	return SenderKeyFromSeed(seed)
}

// SenderKeyFromSeed makes the key of 32 bytes from a secret store. The caller wipes its own copy.
func SenderKeyFromSeed(seed []byte) (*SenderKey, error) {
	if len(seed) != ed25519.SeedSize || subtle.ConstantTimeCompare(seed, make([]byte, ed25519.SeedSize)) == 1 {
		return nil, constantError("a sender's seed has 32 bytes, not all of them zero")
	}
	key := &SenderKey{key: ed25519.NewKeyFromSeed(seed)}
	copy(key.public[:], key.key[32:])
	return key, nil
}

// Seed is a copy of the 32 bytes for a secret store; whoever has them is this sender.
func (k *SenderKey) Seed() []byte { return k.key.Seed() }

// Public is the key for the app's contact list; its String is the text to hand over.
func (k *SenderKey) Public() SenderPublicKey { return k.public }

// Wipe zeroes the key, which signs nothing afterwards.
func (k *SenderKey) Wipe() {
	wipe(k.key)
	k.key = nil
}

// Format prints the public key only.
func (k *SenderKey) Format(f fmt.State, _ rune) { fmt.Fprint(f, k.public) }
