package sealedpush

import (
	"context"
	"net/http"
)

// PartialAnswer says for each recipient of SendPartial what became of it. Both lists are in the order of the recipients.
type PartialAnswer struct {
	Accepted []Accepted
	Rejected []Rejected
}

// Rejected is a recipient that was left out, with its reason.
type Rejected struct {
	// Index is its place in the submission's recipients, from 0.
	Index int `json:"index"`
	// Device is the relay's id of it.
	Device string `json:"device"`
	// Problem is what a submission to this recipient alone would get; its Detail says what to do.
	Problem *Problem `json:"problem"`
}

// SendPartial submits a message for those of its recipients that can be sent to, where Send refuses all for one. Use it
// for groups: a device may be gone, of another app, or beyond the day's quota.
//
// It is tried again as Send is, with the same idempotency key: call it again with the same submission after an error.
// Where no recipient can be sent to, the error is the *Problem of the first.
//
// Errors: *Problem, *ConnectionError, *AnswerError, ErrRandom, the context's.
func (r *Relay) SendPartial(ctx context.Context, submission *Submission) (*PartialAnswer, error) {
	var answer struct {
		Notifications []Accepted `json:"notifications"`
		Rejected      []Rejected `json:"rejected"`
	}
	if err := r.submit(ctx, submission, true, &answer); err != nil {
		return nil, err
	}
	partial := &PartialAnswer{answer.Notifications, answer.Rejected}
	if !partial.isOf(submission.Recipients) {
		return nil, &AnswerError{http.StatusAccepted}
	}
	for i := range partial.Rejected {
		rejected := &partial.Rejected[i]
		rejected.Device = submission.Recipients[rejected.Index].Device
		r.tidy(rejected.Problem)
	}
	return partial, nil
}

// isOf says that each recipient is in one of the lists, once and in order. The relay omits a device that it could not
// read.
func (p *PartialAnswer) isOf(recipients []SubmissionRecipient) bool {
	accepted, rejected := p.Accepted, p.Rejected
	for i, recipient := range recipients {
		switch {
		case len(rejected) != 0 && rejected[0].Index == i:
			if rejected[0].Problem == nil || rejected[0].Device != "" && rejected[0].Device != recipient.Device {
				return false
			}
			rejected = rejected[1:]
		case len(accepted) != 0 && accepted[0].Device == recipient.Device:
			accepted = accepted[1:]
		default:
			return false
		}
	}
	return len(accepted) == 0 && len(rejected) == 0
}
