package sealedpush

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// HTTPOptions are for the relay and for uploads. The zero value is right for most.
type HTTPOptions struct {
	// Roots may vouch for the server; nil for the system's.
	Roots *x509.CertPool
	// Attempts at one request: 6 without it.
	Attempts int
	// Delay before the second attempt, doubled for each further one: half a second without it. Half of it is random.
	Delay time.Duration
	// DelayMax is the longest wait, also where Retry-After asks for more, which ends the request: a minute without it.
	DelayMax time.Duration
	// Timeout of one attempt of the relay's requests: a minute without it.
	Timeout time.Duration
}

// ConnectionError says that there was no whole answer. A notification may have been taken: send it again with the same
// idempotency key.
type ConnectionError struct{ Err error }

func (e *ConnectionError) Error() string { return "sealedpush: no answer: " + e.Err.Error() }

// Unwrap gives the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// UploadError is a host's refusal of an upload. Status is 0 for what is no HTTPS URL.
type UploadError struct{ Status int }

func (e *UploadError) Error() string {
	if e.Status == 0 {
		return "sealedpush: an upload needs an HTTPS URL"
	}
	return fmt.Sprintf("sealedpush: the host refused the upload: %d", e.Status)
}

// newClient follows no redirect, decompresses nothing and keeps no cookie.
func newClient(options HTTPOptions) *http.Client {
	return &http.Client{
		Transport: &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			TLSClientConfig:     &tls.Config{RootCAs: options.Roots, MinVersion: tls.VersionTLS12},
			TLSHandshakeTimeout: 15 * time.Second,
			IdleConnTimeout:     90 * time.Second,
			DisableCompression:  true,
			ForceAttemptHTTP2:   true,
			// The host's disk may delay an answer.
			ResponseHeaderTimeout:  time.Minute,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// attempt says whether another one may help, and when the server wants it.
type attempt struct {
	again bool
	after time.Duration
}

// retry tries until there is no error that another attempt may cure.
func (o HTTPOptions) retry(ctx context.Context, try func() (attempt, error)) error {
	count, delay, longest := o.Attempts, o.Delay, o.DelayMax
	if count == 0 {
		count = 6
	}
	if delay == 0 {
		delay = 500 * time.Millisecond
	}
	if longest == 0 {
		longest = time.Minute
	}
	for {
		this, err := try()
		count--
		if err == nil || !this.again || count <= 0 || this.after > longest {
			return err
		}
		if delay > longest {
			delay = longest
		}
		// All clients of a relay that was down would else come back at once.
		timer := time.NewTimer(this.after + delay/2 + jitter(delay/2))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
		delay *= 2
	}
}

func jitter(span time.Duration) time.Duration {
	var random [8]byte
	// Without random bytes the wait is the shortest.
	_, _ = rand.Read(random[:])
	return time.Duration(binary.BigEndian.Uint64(random[:]) % uint64(span+1))
}

// connectionFailure is tried again unless the caller gave up or the server is not to be trusted. The URL, which may be
// signed, is not in the error.
func connectionFailure(ctx context.Context, err error) (attempt, error) {
	if ctx.Err() != nil {
		return attempt{}, ctx.Err()
	}
	var outer *url.Error
	if errors.As(err, &outer) {
		err = outer.Err
	}
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var certificate x509.CertificateInvalidError
	isUntrusted := errors.As(err, &authority) || errors.As(err, &host) || errors.As(err, &certificate)
	return attempt{again: !isUntrusted}, &ConnectionError{err}
}
