package sealedpush

import (
	"bytes"
	"crypto/ed25519"
	"time"
)

// Announcement is a sender's signed statement that its key is replaced or revoked (section 22). It is public: your back
// end keeps all of them, and the app hands them to its device at each launch, the oldest first.
type Announcement []byte

// String is the text form, base64url.
func (a Announcement) String() string { return base64url.EncodeToString(a) }

// MarshalText gives the text form, for JSON too.
func (a Announcement) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// ErrSameKey says that a key was to be its own successor: make another one.
const ErrSameKey = constantError("a key cannot be its own successor: make a new one")

const (
	announcementContext = "SealedPush/1 sender"
	announcementVersion = 1
	kindSuccessor       = 1
	kindRevocation      = 2
)

// AnnounceSuccessor announces that another key takes this one's place; both keys sign. Save the successor first: a sender
// that loses it has no key. Seal under it when the devices' apps have run.
//
// Each app needs an announcement of its own. Never announce a second successor: devices keep the first.
//
// Errors: ErrTopic, ErrTime, ErrSameKey, ErrWiped.
func (k *SenderKey) AnnounceSuccessor(successor *SenderKey, topic string, now time.Time) (Announcement, error) {
	content, err := k.announcement(kindSuccessor, topic, now)
	if err != nil {
		return nil, err
	}
	if successor.key == nil {
		return nil, ErrWiped
	}
	if bytes.Equal(successor.public[:], k.public[:]) {
		return nil, ErrSameKey
	}
	content = append(content, successor.public[:]...)
	return k.signAnnouncement(successor.signAnnouncement(content)), nil
}

// AnnounceRevocation announces that this key is over. Devices that have it show nothing under this key, whenever it was
// sealed.
//
// Errors: ErrTopic, ErrTime, ErrWiped.
func (k *SenderKey) AnnounceRevocation(topic string, now time.Time) (Announcement, error) {
	content, err := k.announcement(kindRevocation, topic, now)
	if err != nil {
		return nil, err
	}
	return k.signAnnouncement(content), nil
}

// announcement is what both kinds begin with.
func (k *SenderKey) announcement(kind byte, topic string, now time.Time) ([]byte, error) {
	if k.key == nil {
		return nil, ErrWiped
	}
	if !isTopic(topic) {
		return nil, ErrTopic
	}
	announcedAt, err := milliseconds(now)
	if err != nil {
		return nil, err
	}
	content := append([]byte{announcementVersion, kind}, k.public[:]...)
	return append(appendUint64(content, announcedAt), prefixed(topic)...), nil
}

// signAnnouncement appends this key's signature of everything before it.
func (k *SenderKey) signAnnouncement(content []byte) []byte {
	signature := ed25519.Sign(k.key, append(prefixed(announcementContext), content...))
	return append(content, signature...)
}
