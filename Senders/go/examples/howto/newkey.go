package howto

import (
	"time"

	"sealedpush.example/sealedpush"
)

// NewKey makes and saves the next key, and the announcement of it for the app's devices.
func NewKey(old *sealedpush.SenderKey, path string) (*sealedpush.SenderKey, sealedpush.Announcement, error) {
	next, err := sealedpush.NewSenderKey()
	if err != nil {
		return nil, nil, err
	}
	if err := next.Save(path); err != nil {
		return nil, nil, err
	}
	announcement, err := old.AnnounceSuccessor(next, Topic, time.Now())
	return next, announcement, err
}
