// Package howto has the functions that README.md shows.
package howto

import (
	"context"
	"errors"
	"time"

	"sealedpush.example/sealedpush"
)

// Topic is the app's bundle id.
const Topic = "com.example.chat"

// ErrNotRegistered says that the relay does not know a device.
var ErrNotRegistered = errors.New("not registered at the relay")

// Sender is what a back end keeps for as long as it runs.
type Sender struct {
	Key   *sealedpush.SenderKey
	Pins  sealedpush.PinStore
	Relay *sealedpush.Relay
	// Cache holds the largest group's bundles.
	Cache *sealedpush.BundleCache
}

// SendToGroup sends to devices, by their ids at the relay: one query and one submission for up to 1,000. It returns the
// reasons of those that were left out.
func (s *Sender) SendToGroup(
	ctx context.Context, group map[string]sealedpush.Device, message *sealedpush.Prepared,
) (map[string]error, error) {
	var ids []string
	for id := range group {
		ids = append(ids, id)
	}
	bundles, err := s.Relay.Bundles(ctx, ids, s.Cache)
	if err != nil {
		return nil, err
	}
	left := map[string]error{}
	submission := &sealedpush.Submission{Topic: Topic, Class: "normal"}
	for id, device := range group {
		bundle, found := bundles[id]
		if !found {
			left[id] = ErrNotRegistered
			continue
		}
		sealed, err := s.seal(message, device, bundle)
		if err != nil {
			left[id] = err
			// A damaged copy is fetched again the next time.
			s.Cache.Forget(id)
			continue
		}
		submission.Recipients = append(submission.Recipients, sealed.For(id))
	}
	if len(submission.Recipients) == 0 {
		return left, nil
	}
	answer, err := s.Relay.SendPartial(ctx, submission)
	if err != nil {
		return nil, err
	}
	for _, rejected := range answer.Rejected {
		left[rejected.Device] = rejected.Problem
	}
	return left, nil
}

func (s *Sender) seal(
	message *sealedpush.Prepared, device sealedpush.Device, bundle sealedpush.Bundle,
) (*sealedpush.Sealed, error) {
	recipient, err := device.Recipient(bundle, s.Pins, time.Now())
	if err != nil {
		return nil, err
	}
	return s.Key.Seal(message, recipient, time.Now())
}
