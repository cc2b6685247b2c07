package sealedpush

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"
)

// SealError is a reason why a message was not sealed.
type SealError string

const (
	// BadLifetime is a life under a millisecond, or longer than the app's longest.
	BadLifetime SealError = "lifetime"
	// BadCallLifetime is a call that would ring for more than 60 seconds.
	BadCallLifetime SealError = "call-lifetime"
	// BadLifetimeMax is a limit of the app above the protocol's 30 days.
	BadLifetimeMax SealError = "lifetime-max"
	// MessageExpired means that no device would show it any more.
	MessageExpired SealError = "message-expired"
	// PrekeyExpired asks for the device's bundle to be fetched anew.
	PrekeyExpired SealError = "prekey-expired"
	// UnusablePrekey is a key that gives no secrecy.
	UnusablePrekey SealError = "unusable-prekey"
	// BadPlaceholder is a placeholder without text, with U+0000, or of more than 173 bytes of JSON.
	BadPlaceholder SealError = "placeholder"
)

func (e SealError) Error() string { return "sealedpush: sealing: " + string(e) }

const (
	frameHeadSize   = 68
	frameFixedSize  = 132
	callLife        = 60 * time.Second
	lifeCap         = 30 * 24 * time.Hour
	envelopeVersion = 1
	infoContext     = "SealedPush/1"
	messageContext  = "SealedPush/1 message"
)

// frameSize is F of section 1.
func frameSize(call bool) int {
	if call {
		return 3590
	}
	return 2822
}

// Options of a message. The zero value is right for most.
type Options struct {
	// Lifetime is how long devices may show it: a day without it; a call 30 seconds, at most 60.
	Lifetime time.Duration
	// LifetimeMax is the app's own longest life: 7 days without it, 30 at most.
	LifetimeMax time.Duration
	// RefuseLong refuses a text that does not fit; it is shortened without it.
	RefuseLong bool
}

// Prepared is a message that was encoded once, to be sealed for any number of devices. It holds the plain text.
//
// Sealed again for a device that lost its prekey, it has the same id and times: the device shows it once.
type Prepared struct {
	ID        MessageID
	SentAt    time.Time
	ExpiresAt time.Time
	// Truncated says that the text was shortened.
	Truncated bool

	call    bool
	body    []byte
	digest  [32]byte
	receipt *Receipt
}

// Format prints no contents.
func (p *Prepared) Format(f fmt.State, _ rune) { redacted(f, "Prepared") }

// Prepare encodes a new message.
//
// Errors: *MessageError, *TooLongError, SealError, ErrTime, ErrRandom.
func Prepare(message Message, sentAt time.Time, options Options) (*Prepared, error) {
	var id MessageID
	if err := randomBytes(id[:]); err != nil {
		return nil, err
	}
	life := options.Lifetime
	if life == 0 && message.Op == OpCall {
		life = callLife / 2
	} else if life == 0 {
		life = 24 * time.Hour
	}
	return PrepareAgain(message, id, sentAt, sentAt.Add(life), options)
}

// PrepareAgain encodes a message that was sent before, from the sender's own store. A used id for another message is a
// replay, which no device shows.
func PrepareAgain(m Message, id MessageID, sentAt, expiresAt time.Time, options Options) (*Prepared, error) {
	call := m.Op == OpCall
	if err := checkTimes(call, sentAt, expiresAt, options.LifetimeMax); err != nil {
		return nil, err
	}
	body, truncated, err := m.encode(frameSize(call)-frameFixedSize, options.RefuseLong)
	if err != nil {
		return nil, err
	}
	// In whole milliseconds, as devices see them.
	sentAt, expiresAt = time.UnixMilli(sentAt.UnixMilli()), time.UnixMilli(expiresAt.UnixMilli())
	return &Prepared{ID: id, SentAt: sentAt, ExpiresAt: expiresAt, Truncated: truncated, call: call, body: body,
		digest: sha256.Sum256(body), receipt: m.Receipt}, nil
}

// checkTimes does what every device does (sections 9 and 11).
func checkTimes(call bool, sentAt, expiresAt time.Time, limit time.Duration) error {
	if limit == 0 {
		limit = 7 * 24 * time.Hour
	}
	if limit < 0 || limit > lifeCap {
		return BadLifetimeMax
	}
	sent, err := milliseconds(sentAt)
	if err != nil {
		return err
	}
	expires, err := milliseconds(expiresAt)
	if err != nil {
		return err
	}
	if call && expires > sent+uint64(callLife.Milliseconds()) {
		return BadCallLifetime
	}
	if expires <= sent || expires > sent+uint64(limit.Milliseconds()) {
		return BadLifetime
	}
	return nil
}

// Sealed is a message for one device.
type Sealed struct {
	// Field is the relay's sealed: 3,840 characters, 4,864 for a call.
	Field string
	// Trace names this push in logs.
	Trace string
	// Call says that it is a VoIP push: apns-push-type voip, topic with .voip, PushKit's token, the relay's class call.
	Call bool
	// ReceiptHash is for the relay; empty where no receipt was asked for.
	ReceiptHash string
}

// Seal seals a prepared message for a device. Each call has an encapsulation, signature and trace of its own.
//
// Errors: SealError, ErrTime, ErrRandom.
func (k *SenderKey) Seal(message *Prepared, recipient *Recipient, now time.Time) (*Sealed, error) {
	random := make([]byte, 48)
	defer wipe(random)
	if err := randomBytes(random); err != nil {
		return nil, err
	}
	return k.seal(message, recipient, now, random[:32], random[32:])
}

func (k *SenderKey) seal(m *Prepared, r *Recipient, now time.Time, ephemeral, trace []byte) (*Sealed, error) {
	clock, err := milliseconds(now)
	if err != nil {
		return nil, err
	}
	if clock > r.notAfter {
		return nil, PrekeyExpired
	}
	if !now.Before(m.ExpiresAt) {
		return nil, MessageExpired
	}
	if k.key == nil {
		return nil, ErrWiped
	}
	header := append([]byte{envelopeVersion, suiteX25519}, r.fingerprint[:8]...)
	info := r.info(header)
	frame := k.frame(m, info)
	defer wipe(frame)
	enc, ciphertext, err := hpkeSeal(r.key, ephemeral, info, frame)
	if err != nil {
		return nil, UnusablePrekey
	}
	sealed := &Sealed{
		Field: base64url.EncodeToString(append(append(header, enc...), ciphertext...)),
		Trace: base64url.EncodeToString(trace),
		Call:  m.call,
	}
	if m.receipt != nil {
		sealed.ReceiptHash = m.receipt.Hash()
	}
	return sealed, nil
}

// info is HPKE's (section 4).
func (r *Recipient) info(header []byte) []byte {
	info := append(prefixed(infoContext), header...)
	info = append(info, prefixed(r.device.Topic)...)
	return append(append(info, r.device.Identity[:]...), r.fingerprint[:]...)
}

// frame is the signed plaintext of section 5, padded to its one length.
func (k *SenderKey) frame(m *Prepared, info []byte) []byte {
	frame := make([]byte, frameSize(m.call))
	copy(frame, m.ID[:])
	binary.BigEndian.PutUint64(frame[16:], uint64(m.SentAt.UnixMilli()))
	binary.BigEndian.PutUint64(frame[24:], uint64(m.ExpiresAt.UnixMilli()))
	copy(frame[32:], k.public[:])
	if m.Truncated {
		frame[65] = 1
	}
	binary.BigEndian.PutUint16(frame[66:], uint16(len(m.body)))
	signed := append(append(prefixed(messageContext), info...), frame[:frameHeadSize]...)
	copy(frame[frameHeadSize:], ed25519.Sign(k.key, append(signed, m.digest[:]...)))
	copy(frame[frameFixedSize:], m.body)
	return frame
}

// Placeholder is the app's constant alert, which Apple sees: a LocKey, better than words, or Title, Body or both.
type Placeholder struct {
	Title  string `json:"title,omitempty"`
	Body   string `json:"body,omitempty"`
	LocKey string `json:"loc-key,omitempty"`
}

// Payload is the JSON for APNs (section 7), of one length for all messages of an app; the relay makes its own from
// Field. A call has no placeholder.
func (s *Sealed) Payload(placeholder Placeholder) ([]byte, error) {
	end := `"sealed":"` + s.Field + `","trace":"` + s.Trace + `"}`
	if s.Call {
		return []byte(`{"aps":{},` + end), nil
	}
	alert, err := marshal(placeholder)
	words := placeholder.Title + placeholder.Body + placeholder.LocKey
	if err != nil || words == "" || !isText(words) || len(alert) > 173 {
		return nil, BadPlaceholder
	}
	return []byte(`{"aps":{"alert":` + string(alert) + `,"mutable-content":1},` + end), nil
}
