package sealedpush

import (
	"crypto/sha256"
	"time"
)

// Class is a prekey's protection class, a constant of the app: the prekey's id shows it on the way.
type Class uint8

const (
	// AfterFirstUnlock prekeys open from the first unlock on.
	AfterFirstUnlock Class = 1
	// Unlocked prekeys open only while the device is unlocked.
	Unlocked Class = 2
)

// Device is what a sender pins of a device through the app's own channel.
type Device struct {
	Identity IdentityKey
	// Topic is the app's bundle id, the same constant as on the device.
	Topic string
	// Class is AfterFirstUnlock without it.
	Class Class
}

// Recipient is a device that can be sealed for: a prekey of a verified bundle. Only Device makes one.
type Recipient struct {
	device Device
	key    [32]byte
	// fingerprint is FP of section 2; its first eight bytes are the prekey's id.
	fingerprint [32]byte
	notAfter    uint64
	// IssuedAt is when the device made the bundle, by its own clock. An age of weeks is the one sign of a withheld bundle.
	IssuedAt time.Time
	// FetchedAt is when these bytes were last fetched, by the sender's clock.
	FetchedAt time.Time
}

// NotAfter is the prekey's end: nothing is sealed after it.
func (r *Recipient) NotAfter() time.Time { return time.UnixMilli(int64(r.notAfter)) }

// NeedsRefresh says that the bundle was fetched 7 days ago or more: fetch it before sealing again.
func (r *Recipient) NeedsRefresh(now time.Time) bool {
	return now.Before(r.FetchedAt) || now.Sub(r.FetchedAt) >= 7*24*time.Hour
}

// Recipient verifies a bundle against the identity, the topic, the clock and the pins, and pins it. The pin is durable
// when this returns.
//
// Errors: a BundleError; ErrTopic; ErrTime; the store's own, without which nothing is sealed.
func (d Device) Recipient(bundle Bundle, pins PinStore, now time.Time) (*Recipient, error) {
	signed, err := d.parse(bundle.Bytes)
	if err != nil {
		return nil, err
	}
	var pin *Pin
	err = pins.Update(d, func(old *Pin) (*Pin, error) {
		if pin, err = signed.check(old, bundle.FetchedAt, now); err != nil {
			return old, err
		}
		if old != nil && !old.isOutdatedBy(pin) {
			return old, nil
		}
		return pin, nil
	})
	if err != nil {
		return nil, err
	}
	if pin == nil {
		return nil, constantError("the pin store did not call for a change")
	}
	return signed.recipient(d, pin)
}

// Verify does the same without a store: the caller keeps the new pin itself. A nil pin is a first or a stateless check,
// which takes any bundle that has not expired.
func (d Device) Verify(bundle Bundle, pin *Pin, now time.Time) (*Recipient, *Pin, error) {
	signed, err := d.parse(bundle.Bytes)
	if err != nil {
		return nil, nil, err
	}
	changed, err := signed.check(pin, bundle.FetchedAt, now)
	if err != nil {
		return nil, nil, err
	}
	recipient, err := signed.recipient(d, changed)
	return recipient, changed, err
}

func (s *signedBundle) recipient(d Device, pin *Pin) (*Recipient, error) {
	if d.Class == 0 {
		d.Class = AfterFirstUnlock
	}
	for _, entry := range s.entries {
		if entry.class == d.Class {
			return &Recipient{
				device: d, key: entry.key, fingerprint: fingerprint(d.Identity, entry), notAfter: entry.notAfter,
				IssuedAt:  time.UnixMilli(int64(s.issuedAt)),
				FetchedAt: time.UnixMilli(int64(pin.FetchedAt)),
			}, nil
		}
	}
	return nil, NoPrekey
}

// fingerprint is FP of section 2.
func fingerprint(identity IdentityKey, entry bundleEntry) [32]byte {
	text := append(prefixed("SealedPush/1 prekey"), entry.suite, byte(entry.class))
	return sha256.Sum256(append(append(text, identity[:]...), entry.key[:]...))
}
