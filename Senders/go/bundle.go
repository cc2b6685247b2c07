package sealedpush

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"golang.org/x/crypto/curve25519"
)

// BundleError is a reason to refuse a bundle, in the words of section 3. A refused bundle changes no pin.
type BundleError string

const (
	// Malformed means that the bytes are no bundle.
	Malformed BundleError = "malformed"
	// UnsupportedVersion is a bundle of a newer version.
	UnsupportedVersion BundleError = "unsupported-version"
	// UnsupportedSuite is a suite that this package does not know; its entry cannot be skipped.
	UnsupportedSuite BundleError = "unsupported-suite"
	// OtherIdentity is a new device, or an attacker in between: ask the app, never the relay.
	OtherIdentity BundleError = "other-identity"
	// OtherTopic is a bundle for another app.
	OtherTopic BundleError = "other-topic"
	// BadSignature means that the pinned identity did not sign it.
	BadSignature BundleError = "bad-signature"
	// NotYetValid means that the sender's clock is behind, or the device's ahead.
	NotYetValid BundleError = "not-yet-valid"
	// RolledBack is an older bundle than the pinned one: investigate, send nothing.
	RolledBack BundleError = "rolled-back"
	// Equivocation is a second bundle of one epoch: investigate, send nothing.
	Equivocation BundleError = "equivocation"
	// SuiteDowngrade is a lower suite than before. A person decides, then ResetSuites.
	SuiteDowngrade BundleError = "suite-downgrade"
	// ValidityTooLong is a validity of more than 60 days, or a negative one.
	ValidityTooLong BundleError = "validity-too-long"
	// Expired means that the app has not run for 60 days: nobody can seal to it.
	Expired BundleError = "expired"
	// LowOrderPrekey is a prekey without secrecy.
	LowOrderPrekey BundleError = "low-order-prekey"
	// NoPrekey means that there is no prekey of the device's class; there is no falling back.
	NoPrekey BundleError = "no-prekey"
)

func (e BundleError) Error() string { return "sealedpush: bundle: " + string(e) }

const (
	suiteX25519   = 1
	bundleSizeMax = 2838
	validityMax   = 60 * 86_400_000
	bundleContext = "SealedPush/1 bundle"
	bundleVersion = 1
)

// Bundle is a key bundle as it was fetched. It proves nothing before a Device has verified it.
type Bundle struct {
	Bytes     []byte
	FetchedAt time.Time
}

// ParseBundle reads a bundle's text: base64url, with white space around it ignored.
func ParseBundle(text string, fetchedAt time.Time) (Bundle, error) {
	text = string(bytes.TrimSpace([]byte(text)))
	if len(text) > base64url.EncodedLen(bundleSizeMax) {
		return Bundle{}, Malformed
	}
	decoded, valid := decodeBase64URL(text)
	if !valid {
		return Bundle{}, Malformed
	}
	return Bundle{decoded, fetchedAt}, nil
}

// signedBundle has a right signature, and is not yet checked against clock and pins.
type signedBundle struct {
	epoch, issuedAt uint64
	entries         []bundleEntry
	digest          [32]byte
}

type bundleEntry struct {
	suite               uint8
	class               Class
	notBefore, notAfter uint64
	key                 [32]byte
}

// reader takes bytes from the front; false when there are too few.
type reader []byte

func (r *reader) take(count int) ([]byte, bool) {
	if len(*r) < count {
		return nil, false
	}
	taken := (*r)[:count]
	*r = (*r)[count:]
	return taken, true
}

// parse does steps 1 to 6 of section 3, in their order. The signature, which costs the most, is checked before a store
// is locked.
func (d Device) parse(bundle []byte) (*signedBundle, error) {
	if !isTopic(d.Topic) {
		return nil, ErrTopic
	}
	if len(bundle) > bundleSizeMax {
		return nil, Malformed
	}
	rest := reader(bundle)
	if version, found := rest.take(1); !found {
		return nil, Malformed
	} else if version[0] != bundleVersion {
		return nil, UnsupportedVersion
	}
	if identity, found := rest.take(32); !found {
		return nil, Malformed
	} else if !bytes.Equal(identity, d.Identity[:]) {
		return nil, OtherIdentity
	}
	signed := &signedBundle{digest: sha256.Sum256(bundle)}
	head, found := rest.take(17)
	if !found {
		return nil, Malformed
	}
	signed.epoch, signed.issuedAt = binary.BigEndian.Uint64(head), binary.BigEndian.Uint64(head[8:])
	if topic, found := rest.take(int(head[16])); !found {
		return nil, Malformed
	} else if string(topic) != d.Topic {
		return nil, OtherTopic
	}
	if err := signed.parseEntries(&rest); err != nil {
		return nil, err
	}
	content := bundle[:len(bundle)-len(rest)]
	if len(rest) != 64 {
		return nil, Malformed
	}
	if !verify(d.Identity, append(prefixed(bundleContext), content...), rest) {
		return nil, BadSignature
	}
	for i := range signed.entries[1:] {
		if signed.entries[i].order() >= signed.entries[i+1].order() {
			return nil, Malformed
		}
	}
	if signed.issuedAt >= timeLimit {
		return nil, Malformed
	}
	return signed, nil
}

func (e bundleEntry) order() int { return int(e.suite)<<8 | int(e.class) }

func (s *signedBundle) parseEntries(rest *reader) error {
	count, found := rest.take(1)
	if !found || count[0] < 1 || count[0] > 4 {
		return Malformed
	}
	for i := byte(0); i < count[0]; i++ {
		head, found := rest.take(18)
		if !found {
			return Malformed
		}
		entry := bundleEntry{suite: head[0], class: Class(head[1])}
		entry.notBefore, entry.notAfter = binary.BigEndian.Uint64(head[2:]), binary.BigEndian.Uint64(head[10:])
		if entry.class != AfterFirstUnlock && entry.class != Unlocked {
			return Malformed
		}
		if entry.suite != suiteX25519 {
			return UnsupportedSuite
		}
		key, found := rest.take(32)
		if !found {
			return Malformed
		}
		copy(entry.key[:], key)
		s.entries = append(s.entries, entry)
	}
	return nil
}

// check does steps 7 to 10, and gives the new pin.
func (s *signedBundle) check(pin *Pin, fetchedAt, now time.Time) (*Pin, error) {
	clock, err := milliseconds(now)
	if err != nil {
		return nil, err
	}
	// First: a thief of the identity could else lock its owner out by an epoch in the future.
	if s.epoch > clock+clockSkew {
		return nil, NotYetValid
	}
	if pin != nil {
		if err := s.checkPin(pin); err != nil {
			return nil, err
		}
	}
	for _, entry := range s.entries {
		switch {
		case entry.notAfter >= timeLimit, entry.notBefore > entry.notAfter, entry.notAfter-entry.notBefore > validityMax:
			return nil, ValidityTooLong
		case entry.notBefore > clock+clockSkew:
			return nil, NotYetValid
		case clock > entry.notAfter:
			return nil, Expired
		}
	}
	for _, entry := range s.entries {
		if isLowOrder(entry.key) {
			return nil, LowOrderPrekey
		}
	}
	return s.pin(pin, fetchedAt, now), nil
}

func (s *signedBundle) checkPin(pin *Pin) error {
	if s.epoch < pin.Epoch {
		return RolledBack
	}
	if s.epoch == pin.Epoch && s.digest != pin.Digest {
		return Equivocation
	}
	for i, suite := range s.highestSuites() {
		// A class that the bundle has no more is not a lower suite: nothing is sealed to it.
		if suite != 0 && suite < pin.Suites[i] {
			return SuiteDowngrade
		}
	}
	return nil
}

// isLowOrder lets the library multiply: it refuses an all-zero result, which a key of low order gives for every scalar.
func isLowOrder(key [32]byte) bool {
	_, err := curve25519.X25519(bytes.Repeat([]byte{8}, 32), key[:])
	return err != nil
}

func (s *signedBundle) highestSuites() (suites [2]uint8) {
	for _, entry := range s.entries {
		if i := entry.class - 1; entry.suite > suites[i] {
			suites[i] = entry.suite
		}
	}
	return suites
}

// pin is what the next bundle is checked against. A class that returns is held to its past.
func (s *signedBundle) pin(old *Pin, fetchedAt, now time.Time) *Pin {
	if fetchedAt.After(now) {
		fetchedAt = now
	}
	pin := &Pin{Epoch: s.epoch, Digest: s.digest, Suites: s.highestSuites(), IssuedAt: s.issuedAt}
	pin.FetchedAt, _ = milliseconds(fetchedAt)
	if old == nil {
		return pin
	}
	for i, suite := range old.Suites {
		if suite > pin.Suites[i] {
			pin.Suites[i] = suite
		}
	}
	// An older copy of the same bytes makes them no older.
	if old.Digest == pin.Digest && old.FetchedAt > pin.FetchedAt && old.FetchedAt <= uint64(now.UnixMilli()) {
		pin.FetchedAt = old.FetchedAt
	}
	return pin
}
