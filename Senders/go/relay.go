package sealedpush

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Relay is a client of sealedpushd (docs/service.md). It may be used by many goroutines.
type Relay struct {
	base, key string
	options   HTTPOptions
	client    *http.Client
	// querying is full during a query for bundles: the relay answers one of a tenant at a time, and another with 429.
	querying chan struct{}
}

// ErrRelay says that a relay's address or an API key is malformed, not what it was.
const ErrRelay = constantError("a relay has an https URL without query, or http to this machine, and a key spk_…")

// ErrDeviceID says that a text is no device's id at the relay. Nothing was sent.
const ErrDeviceID = constantError("a device's id has 1 to 64 of A-Z a-z 0-9 - _")

var (
	apiKeyPattern   = regexp.MustCompile(`\Aspk_[A-Za-z0-9_-]{43}\z`)
	deviceIDPattern = regexp.MustCompile(`\A[A-Za-z0-9_-]{1,64}\z`)
)

// NewRelay checks address and key; nothing is sent yet. Plain HTTP is only for the relay's loopback port.
func NewRelay(address, apiKey string, options HTTPOptions) (*Relay, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" || parsed.Host == "" ||
		!(parsed.Scheme == "https" || parsed.Scheme == "http" && isLoopback(parsed.Hostname())) ||
		!apiKeyPattern.MatchString(apiKey) {
		return nil, ErrRelay
	}
	if options.Timeout == 0 {
		options.Timeout = time.Minute
	}
	client := newClient(options)
	client.Timeout = options.Timeout
	return &Relay{strings.TrimSuffix(address, "/"), apiKey, options, client, make(chan struct{}, 1)}, nil
}

func isLoopback(host string) bool {
	address := net.ParseIP(host)
	return host == "localhost" || address != nil && address.IsLoopback()
}

// Format prints no key.
func (r *Relay) Format(f fmt.State, _ rune) { redacted(f, "Relay") }

// Problem is the relay's refusal (RFC 9457). Detail says what to do.
type Problem struct {
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	Detail string `json:"detail"`
	// Errors name the fields at fault by JSON pointers.
	Errors []FieldProblem `json:"errors"`
	// RetryAfter is of a 429 or 503; 0 for none.
	RetryAfter time.Duration `json:"-"`
}

// FieldProblem is one field's fault.
type FieldProblem struct {
	Pointer string `json:"pointer"`
	Detail  string `json:"detail"`
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("sealedpush: the relay answered %d: %s: %s", p.Status, p.Title, p.Detail)
	for _, field := range p.Errors {
		text += "; " + field.Pointer + ": " + field.Detail
	}
	return text
}

// AnswerError says that an answer is not one of the relay's API.
type AnswerError struct{ Status int }

func (e *AnswerError) Error() string {
	return fmt.Sprintf("sealedpush: an answer %d that is not a relay's", e.Status)
}

// Submission is the body of POST /v1/notifications.
type Submission struct {
	Topic string `json:"topic"`
	// Class is urgent, normal or background; call for a call.
	Class string `json:"class"`
	// Expiry is how many seconds Apple may keep it: 0, 3600, 86400 or 604800; nil for the class's own.
	Expiry *int `json:"expiry,omitempty"`
	// CollapseID makes a later notification replace this one.
	CollapseID string `json:"collapse-id,omitempty"`
	// IdempotencyKey makes repetitions one notification. Send fills it in.
	IdempotencyKey string                `json:"idempotency-key,omitempty"`
	Recipients     []SubmissionRecipient `json:"recipients"`
}

// SubmissionRecipient is one device's copy; Sealed.For makes it.
type SubmissionRecipient struct {
	Device      string `json:"device"`
	Sealed      string `json:"sealed"`
	Trace       string `json:"trace,omitempty"`
	ReceiptHash string `json:"receipt-hash,omitempty"`
}

// For is this copy for a device, by the relay's id of it.
func (s *Sealed) For(device string) SubmissionRecipient {
	return SubmissionRecipient{Device: device, Sealed: s.Field, Trace: s.Trace, ReceiptHash: s.ReceiptHash}
}

// Accepted is one recipient's notification, on the relay's disk.
type Accepted struct {
	Device string `json:"device"`
	// ID is the apns-id.
	ID    string `json:"id"`
	Trace string `json:"trace"`
}

// Send submits a message for all its recipients or none. It tries again after 429, 503 and a broken connection, always
// with one idempotency key, which stays in the submission: call it again with the same one after an error.
//
// Errors: *Problem, *ConnectionError, *AnswerError, ErrRandom, the context's.
func (r *Relay) Send(ctx context.Context, submission *Submission) ([]Accepted, error) {
	var answer struct {
		Notifications []Accepted `json:"notifications"`
	}
	if err := r.submit(ctx, submission, false, &answer); err != nil {
		return nil, err
	}
	for i, recipient := range submission.Recipients {
		if len(answer.Notifications) != len(submission.Recipients) || answer.Notifications[i].Device != recipient.Device {
			return nil, &AnswerError{http.StatusAccepted}
		}
	}
	return answer.Notifications, nil
}

// submit fills in the idempotency key, and posts the submission.
func (r *Relay) submit(ctx context.Context, submission *Submission, isPartial bool, answer any) error {
	if submission.IdempotencyKey == "" {
		var key MessageID
		if err := randomBytes(key[:]); err != nil {
			return err
		}
		submission.IdempotencyKey = key.String()
	}
	body, err := marshal(struct {
		*Submission
		Partial bool `json:"partial,omitempty"`
	}{submission, isPartial})
	if err != nil {
		return err
	}
	post := call{http.MethodPost, "/v1/notifications", body, http.StatusAccepted, len(submission.Recipients)}
	return r.call(ctx, post, answer)
}

// Bundle fetches a device's key bundle, for Device.Recipient to verify. Keep it for 7 days at most.
func (r *Relay) Bundle(ctx context.Context, device string) (Bundle, error) {
	if !deviceIDPattern.MatchString(device) {
		return Bundle{}, ErrDeviceID
	}
	var answer struct {
		Bundle string `json:"bundle"`
	}
	fetchedAt := time.Now()
	get := call{http.MethodGet, "/v1/devices/" + device + "/bundle", nil, http.StatusOK, 1}
	if err := r.call(ctx, get, &answer); err != nil {
		return Bundle{}, err
	}
	return ParseBundle(answer.Bundle, fetchedAt)
}

// call is a request, the status of its success, and the number of devices that its answer is about.
type call struct {
	method, path string
	body         []byte
	status       int
	deviceCount  int
}

// answerSizeMax is twice what a relay writes: a bundle has up to 3,784 characters, the faults of a recipient fewer.
func (c call) answerSizeMax() int { return 1<<20 + c.deviceCount*8<<10 }

func (r *Relay) call(ctx context.Context, c call, answer any) error {
	return r.options.retry(ctx, func() (attempt, error) {
		request, err := http.NewRequestWithContext(ctx, c.method, r.base+c.path, bytes.NewReader(c.body))
		if err != nil {
			return attempt{}, ErrRelay
		}
		request.Header.Set("Authorization", "Bearer "+r.key)
		if c.body != nil {
			request.Header.Set("Content-Type", "application/json")
		}
		response, err := r.client.Do(request)
		if err != nil {
			return r.failure(ctx, err)
		}
		defer response.Body.Close()
		text, err := io.ReadAll(io.LimitReader(response.Body, int64(c.answerSizeMax())+1))
		if err != nil {
			return r.failure(ctx, err)
		}
		isWhole := len(text) <= c.answerSizeMax()
		if response.StatusCode != c.status {
			problem := r.problem(response, text, isWhole)
			again := problem.Status == http.StatusTooManyRequests || problem.Status == http.StatusServiceUnavailable
			return attempt{again, problem.RetryAfter}, problem
		}
		if !isWhole || json.Unmarshal(text, answer) != nil {
			return attempt{}, &AnswerError{response.StatusCode}
		}
		return attempt{}, nil
	})
}

// failure takes the key out of an error that quotes what a server sent.
func (r *Relay) failure(ctx context.Context, err error) (attempt, error) {
	this, err := connectionFailure(ctx, err)
	if strings.Contains(err.Error(), r.key) {
		err = &ConnectionError{errors.New("a malformed answer")}
	}
	return this, err
}

// problem reads what a relay, or a proxy in front of it, says.
func (r *Relay) problem(response *http.Response, text []byte, isWhole bool) *Problem {
	problem := &Problem{}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if kind != "application/problem+json" || !isWhole || json.Unmarshal(text, problem) != nil {
		problem = &Problem{}
	}
	r.tidy(problem)
	if problem.Title == "" {
		problem.Title = http.StatusText(response.StatusCode)
	}
	problem.Status = response.StatusCode
	problem.RetryAfter = retryAfter(response.Header.Get("Retry-After"), time.Now())
	return problem
}

// tidy makes a problem's words few, printable and without the key.
func (r *Relay) tidy(problem *Problem) {
	if len(problem.Errors) > 32 {
		problem.Errors = problem.Errors[:32]
	}
	words := []*string{&problem.Type, &problem.Title, &problem.Detail}
	for i := range problem.Errors {
		words = append(words, &problem.Errors[i].Pointer, &problem.Errors[i].Detail)
	}
	for _, word := range words {
		*word = r.clean(*word)
	}
	if problem.Type == "" {
		problem.Type = "about:blank"
	}
}

func (r *Relay) clean(text string) string {
	const longest = 500
	text = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return -1
		}
		return c
	}, strings.ReplaceAll(text, r.key, "…"))
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return strings.ReplaceAll(text, r.key, "…")
}

// retryAfter reads seconds or a date (RFC 9110, section 10.2.3); 0 for anything else.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(text); err == nil && date.After(now) {
		return date.Sub(now)
	}
	return 0
}
