package sealedpush

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync"
)

// Pin is what a sender remembers of a device's newest bundle (section 16). Times are milliseconds since 1970.
type Pin struct {
	// Epoch is the highest seen; a lower one is refused.
	Epoch uint64
	// Digest is SHA-256 of that bundle.
	Digest [32]byte
	// Suites are the highest seen of class 1 and of class 2; 0 for none.
	Suites [2]uint8
	// IssuedAt is by the device's clock.
	IssuedAt uint64
	// FetchedAt is by the sender's clock.
	FetchedAt uint64
}

// PinStore keeps the pins of all devices. All processes of a sender share one: another could else accept a bundle that
// this one knows to be old.
//
// FilePins is for the processes of one machine, MemoryPins for tests. A sender on several machines implements it over
// its database: a row named Device.Slot with Pin.Encode's bytes, read and changed in one serializable transaction.
type PinStore interface {
	// Update calls change once with the stored pin, nil for none, and makes what it returns durable: the same pointer
	// leaves the pin as it is, nil removes it. An error of change leaves it too, and is returned. What cannot be read
	// is an error, never nil.
	Update(device Device, change func(*Pin) (*Pin, error)) error
}

// ResetSuites forgets a device's highest suites, after a person agreed to weaker protection. Older bundles stay refused.
func ResetSuites(pins PinStore, device Device) error {
	return pins.Update(device, func(pin *Pin) (*Pin, error) {
		if pin == nil {
			return nil, nil
		}
		changed := *pin
		changed.Suites = [2]uint8{}
		return &changed, nil
	})
}

// Slot names a device's pin in a store: 64 hexadecimal digits that do not show the identity.
func (d Device) Slot() string {
	digest := sha256.Sum256(append(d.Identity[:], d.Topic...))
	return hex.EncodeToString(digest[:])
}

const (
	pinMark    = "SPP1"
	pinSizeMax = 4 + 32 + 156 + 8 + 32 + 2 + 16 + 8
)

// Encode gives the stored form, the same as the Swift sender's:
//
//	"SPP1" ‖ IK 32 ‖ LP(TOPIC) ‖ epoch u64 ‖ digest 32 ‖ suites 2 ‖ issued-at u64 ‖ fetched-at u64 ‖ SHA-256(before)[0..<8]
//
// Identity and topic show a record in a wrong slot. The check detects accidents only.
func (p *Pin) Encode(device Device) []byte {
	text := append([]byte(pinMark), device.Identity[:]...)
	text = appendUint64(append(text, prefixed(device.Topic)...), p.Epoch)
	text = append(append(text, p.Digest[:]...), p.Suites[:]...)
	text = appendUint64(appendUint64(text, p.IssuedAt), p.FetchedAt)
	check := sha256.Sum256(text)
	return append(text, check[:8]...)
}

// DecodePin reads exactly one pin of this device; false for anything else.
func DecodePin(encoded []byte, device Device) (*Pin, bool) {
	head := len(pinMark) + 32 + 1 + len(device.Topic)
	if len(encoded) > pinSizeMax || len(encoded) != head+8+32+2+16+8 {
		return nil, false
	}
	fields := encoded[head:]
	pin := &Pin{
		Epoch: binary.BigEndian.Uint64(fields), Suites: [2]uint8{fields[40], fields[41]},
		IssuedAt: binary.BigEndian.Uint64(fields[42:]), FetchedAt: binary.BigEndian.Uint64(fields[50:]),
	}
	copy(pin.Digest[:], fields[8:40])
	// One encoding for each pin: mark, device and check are compared with it.
	return pin, bytes.Equal(pin.Encode(device), encoded)
}

// isOutdatedBy says that the newer pin must be written. An hour's step spares a write for each message.
func (p *Pin) isOutdatedBy(newer *Pin) bool {
	const step = 3_600_000
	return p.Epoch != newer.Epoch || p.Digest != newer.Digest || p.Suites != newer.Suites ||
		newer.FetchedAt < p.FetchedAt || newer.FetchedAt-p.FetchedAt >= step
}

// MemoryPins are lost with the process, and with them the protection against old bundles. The zero value is empty.
type MemoryPins struct {
	mutex sync.Mutex
	pins  map[string]*Pin
}

// Update is of PinStore.
func (m *MemoryPins) Update(device Device, change func(*Pin) (*Pin, error)) error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	slot := device.Slot()
	pin, err := change(m.pins[slot])
	if err != nil {
		return err
	}
	if m.pins == nil {
		m.pins = map[string]*Pin{}
	}
	if m.pins[slot] = pin; pin == nil {
		delete(m.pins, slot)
	}
	return nil
}
