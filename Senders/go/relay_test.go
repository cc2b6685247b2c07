package sealedpush

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

var apiKey = "spk_" + strings.Repeat("K", 43)

// server answers each request by the next of its steps, the last one for ever.
type server struct {
	*httptest.Server
	mutex    sync.Mutex
	steps    []http.HandlerFunc
	requests []*http.Request
	bodies   []string
	at       []time.Time
}

func newServer(t *testing.T, steps ...http.HandlerFunc) *server {
	s := &server{steps: steps}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		s.mutex.Lock()
		step := s.steps[0]
		if len(s.steps) > 1 {
			s.steps = s.steps[1:]
		}
		s.requests, s.bodies, s.at = append(s.requests, r), append(s.bodies, string(body)), append(s.at, time.Now())
		s.mutex.Unlock()
		step(w, r)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func (s *server) options() HTTPOptions {
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return HTTPOptions{Roots: roots, Attempts: 4, Delay: 20 * time.Millisecond, DelayMax: 2 * time.Second}
}

func (s *server) relay(t *testing.T) *Relay {
	relay, err := NewRelay(s.URL, apiKey, s.options())
	if err != nil {
		t.Fatal(err)
	}
	return relay
}

func problem(status int, kind string, fields ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		for i := 0; i < len(fields); i += 2 {
			w.Header().Set(fields[i], fields[i+1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"type":"urn:sealedpush:problem:%s","title":"T","status":%d,"detail":"D","errors":[{"pointer":"/a","detail":"E"}]}`, kind, status)
	}
}

func accepted(w http.ResponseWriter, _ *http.Request) {
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprint(w, `{"notifications":[{"device":"d1","id":"i","trace":"t"}]}`)
}

func broken(w http.ResponseWriter, _ *http.Request) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		connection.Close()
	}
}

func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	w.WriteHeader(http.StatusAccepted)
	fmt.Fprint(w, `{"notifications":[`)
}

func submission() *Submission {
	return &Submission{Topic: topic, Class: "normal", Recipients: []SubmissionRecipient{{Device: "d1", Sealed: "S"}}}
}

func TestSendsAgainWithOneIdempotencyKey(t *testing.T) {
	s := newServer(t, problem(429, "too-many-requests", "Retry-After", "1"), problem(503, "draining"), broken, accepted)
	// HTTP/1.1: a broken connection is one request's.
	sent := submission()
	got, err := s.relay(t).Send(context.Background(), sent)
	if err != nil || len(got) != 1 || got[0].ID != "i" {
		t.Fatal(got, err)
	}
	for i, body := range s.bodies {
		var read Submission
		if json.Unmarshal([]byte(body), &read) != nil || read.IdempotencyKey == "" ||
			read.IdempotencyKey != sent.IdempotencyKey || body != s.bodies[0] {
			t.Errorf("request %d is another one: %s", i, body)
		}
		if s.requests[i].Header.Get("Authorization") != "Bearer "+apiKey {
			t.Error("no key")
		}
	}
	if len(s.bodies) != 4 {
		t.Error(len(s.bodies), "requests")
	}
	if wait := s.at[1].Sub(s.at[0]); wait < time.Second {
		t.Error("did not wait for Retry-After:", wait)
	}
	// A later call with the same submission is the same notification.
	key := sent.IdempotencyKey
	if _, err := s.relay(t).Send(context.Background(), sent); err != nil || sent.IdempotencyKey != key {
		t.Error(err)
	}
}

func TestAnAnswerThatBreaksOffIsTriedAgain(t *testing.T) {
	s := newServer(t, half, accepted)
	if _, err := s.relay(t).Send(context.Background(), submission()); err != nil || len(s.bodies) != 2 {
		t.Error(err, len(s.bodies))
	}
}

func TestNoOtherRefusalIsTriedAgain(t *testing.T) {
	for _, status := range []int{301, 307, 400, 401, 403, 404, 405, 409, 413, 415, 422, 500} {
		s := newServer(t, problem(status, "word", "Location", "/elsewhere"))
		_, err := s.relay(t).Send(context.Background(), submission())
		var refused *Problem
		if !errors.As(err, &refused) || refused.Status != status || refused.Type != "urn:sealedpush:problem:word" ||
			refused.Title != "T" || refused.Detail != "D" || len(refused.Errors) != 1 || len(s.bodies) != 1 {
			t.Errorf("%d: %v, %d requests", status, err, len(s.bodies))
		}
	}
}

func TestTriesEndAndLongWaitsAreTheCallers(t *testing.T) {
	s := newServer(t, problem(503, "draining"))
	if _, err := s.relay(t).Send(context.Background(), submission()); !errors.As(err, new(*Problem)) || len(s.bodies) != 4 {
		t.Error(err, len(s.bodies))
	}
	s = newServer(t, problem(429, "quota-exceeded", "Retry-After", "3600"))
	var refused *Problem
	if _, err := s.relay(t).Send(context.Background(), submission()); !errors.As(err, &refused) ||
		refused.RetryAfter != time.Hour || len(s.bodies) != 1 {
		t.Error(err, len(s.bodies))
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	s = newServer(t, problem(429, "too-many-requests", "Retry-After", "2"))
	if _, err := s.relay(t).Send(ctx, submission()); err != context.DeadlineExceeded {
		t.Error(err)
	}
}

func TestNobodyListensIsTriedAgainAndAStrangeCertificateIsNot(t *testing.T) {
	s := newServer(t, accepted)
	options := s.options()
	options.Roots = x509.NewCertPool()
	relay, _ := NewRelay(s.URL, apiKey, options)
	start := time.Now()
	if _, err := relay.Send(context.Background(), submission()); !errors.As(err, new(*ConnectionError)) ||
		!errors.As(err, new(x509.UnknownAuthorityError)) {
		t.Error(err)
	}
	if time.Since(start) > time.Second || len(s.bodies) != 0 {
		t.Error("it was tried again")
	}
	relay = s.relay(t)
	s.Close()
	start = time.Now()
	var fault *ConnectionError
	if _, err := relay.Send(context.Background(), submission()); !errors.As(err, &fault) || strings.Contains(err.Error(), "https:") {
		t.Error(err)
	}
	if time.Since(start) < 50*time.Millisecond {
		t.Error("it was not tried again")
	}
}

func TestARelaysAnswerIsUntrusted(t *testing.T) {
	echo := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(400)
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		answer, _ := json.Marshal(Problem{Title: "\x1b[2J" + key, Detail: strings.Repeat(key+"\n", 1000),
			Errors: make([]FieldProblem, 5000)})
		_, _ = w.Write(answer)
	}
	raw := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusAccepted)
			fmt.Fprint(w, text)
		}
	}
	hijacked := func(w http.ResponseWriter, r *http.Request) {
		connection, _, _ := w.(http.Hijacker).Hijack()
		fmt.Fprintf(connection, "%s\r\n\r\n", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		connection.Close()
	}
	for name, step := range map[string]http.HandlerFunc{
		"echo": echo, "hijacked": hijacked, "none": raw(""), "array": raw("[]"), "null": raw("null"),
		"depth": raw(strings.Repeat("[", 100_000)), "short": raw(`{"notifications":[]}`),
		"other": raw(`{"notifications":[{"device":"d2","id":"i","trace":"t"}]}`),
		"types": raw(`{"notifications":{"device":1}}`), "long": raw(`{"notifications":[{"device":"d1","id":"i","trace":"t"}]}` + strings.Repeat(" ", 2<<20)),
	} {
		_, err := newServer(t, step).relay(t).Send(context.Background(), submission())
		if err == nil {
			t.Errorf("%s was taken", name)
		} else if text := err.Error(); strings.Contains(text, apiKey) || len(text) > 5000 || strings.Contains(text, "\x1b") {
			t.Errorf("%s: %q", name, text)
		}
	}
	for _, text := range []string{`{"bundle":"!"}`, `{"bundle":7}`, `{}x`, `{"bundle":"` + strings.Repeat("A", 10_000) + `"}`} {
		step := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
		if _, err := newServer(t, step).relay(t).Bundle(context.Background(), "d1"); err == nil {
			t.Errorf("%.20s was taken", text)
		}
	}
}

func TestAddressesAndKeysAreChecked(t *testing.T) {
	for _, address := range []string{"", "push.example.com", "http://push.example.com", "https://u:p@push.example.com",
		"https://push.example.com?x", "https://push.example.com#x", "ftp://push.example.com", "https://"} {
		if _, err := NewRelay(address, apiKey, HTTPOptions{}); err != ErrRelay {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := NewRelay("https://push.example.com", apiKey+"\n", HTTPOptions{}); err != ErrRelay {
		t.Error(err)
	}
	for _, address := range []string{"https://push.example.com:8443/", "http://127.0.0.1:8080", "http://localhost:1"} {
		if _, err := NewRelay(address, apiKey, HTTPOptions{}); err != nil {
			t.Error(address, err)
		}
	}
	relay, _ := NewRelay("https://push.example.com", apiKey, HTTPOptions{})
	for _, device := range []string{"", "../d", "a/b", "a?b", strings.Repeat("d", 65)} {
		if _, err := relay.Bundle(context.Background(), device); err == nil || errors.As(err, new(*ConnectionError)) {
			t.Errorf("%q: %v", device, err)
		}
	}
}

func TestAnUploadIsOnePUTWithNoOtherField(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stored")
	_ = os.WriteFile(path, []byte("stored"), 0o600)
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	s := newServer(t, status(500), broken, status(201))
	url, err := UploadAttachment(context.Background(), path, s.URL+"/a/b?signature=hush", s.options())
	if err != nil || url != s.URL+"/a/b" || len(s.bodies) != 3 {
		t.Fatal(url, err)
	}
	last := s.requests[2]
	if last.Method != "PUT" || s.bodies[2] != "stored" || last.ContentLength != 6 || len(last.Header) != 1 {
		t.Error(last.Header, s.bodies[2])
	}
	for _, code := range []int{302, 400, 403, 404} {
		s := newServer(t, status(code))
		var refused *UploadError
		if _, err := UploadAttachment(context.Background(), path, s.URL+"/a?signature=hush", s.options()); !errors.As(err, &refused) ||
			refused.Status != code || len(s.bodies) != 1 {
			t.Error(code, err)
		}
	}
	s.Close()
	if _, err := UploadAttachment(context.Background(), path, s.URL+"/a?signature=hush", s.options()); err == nil ||
		strings.Contains(err.Error(), "hush") {
		t.Error(err)
	}
	for _, to := range []string{"http://files.example.com/a", "files.example.com", "https://", "https://u@h/a", ":"} {
		if _, err := UploadAttachment(context.Background(), path, to, HTTPOptions{}); !errors.As(err, new(*UploadError)) {
			t.Error(to, err)
		}
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for text, expected := range map[string]time.Duration{
		"": 0, "0": 0, "7": 7 * time.Second, "-1": 0, "1.5": 0, "x": 0, "99999999999999999999": 0,
		now.Add(time.Minute).UTC().Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).UTC().Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(text, now); got != expected {
			t.Errorf("%q: %v", text, got)
		}
	}
}
