package sealedpush

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
)

// Attachment points to an encrypted file and has its key: it is as secret as the message (section 6).
type Attachment struct {
	ID  MessageID     `json:"id"`
	URL string        `json:"url"`
	Key AttachmentKey `json:"key"`
	// Size is the file's length in bytes.
	Size int64 `json:"size"`
	// Stored is the encrypted file's length in bytes; it follows from Size.
	Stored int64 `json:"stored"`
	// Type is a media type without parameters, in lower case.
	Type string `json:"type"`
	// Name is for display, 64 bytes at most.
	Name string `json:"name,omitempty"`
	// Thumbnail stands in for the attachment behind it until that one is there.
	Thumbnail bool `json:"thumbnail,omitempty"`
}

// Format prints no contents.
func (a Attachment) Format(f fmt.State, _ rune) { redacted(f, "Attachment") }

// AttachmentKey encrypts one file.
type AttachmentKey [32]byte

// Format prints no secret.
func (k AttachmentKey) Format(f fmt.State, _ rune) { redacted(f, "AttachmentKey") }

// MarshalText writes 43 characters of base64url.
func (k AttachmentKey) MarshalText() ([]byte, error) {
	return []byte(base64url.EncodeToString(k[:])), nil
}

// UnmarshalText reads 43 characters of base64url.
func (k *AttachmentKey) UnmarshalText(text []byte) error { return decodeInto(k[:], text) }

const attachmentSizeMax = 1 << 40

// RFC 6838, section 4.2, in lower case.
var mediaTypePattern = regexp.MustCompile(`\A[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*\z`)

// check refuses what a device would refuse of one pointer.
func (a *Attachment) check() error {
	for _, rule := range []struct {
		broken bool
		reason string
	}{
		{!IsAttachmentURL(a.URL), "url is not one that all readers take alike"},
		{a.Size < 0 || a.Size > attachmentSizeMax, "size is not 0 to 2^40"},
		{a.Stored != StoredSize(a.Size), "stored does not follow from size"},
		{len(a.Type) > 64 || !mediaTypePattern.MatchString(a.Type), "type is no media type in lower case"},
		{len(a.Name) > 64 || !isText(a.Name), "name is not up to 64 bytes of UTF-8 without U+0000"},
	} {
		if rule.broken {
			return &MessageError{"attachments", rule.reason}
		}
	}
	return nil
}

func checkAttachments(attachments []Attachment) error {
	if len(attachments) > 4 {
		return &MessageError{"attachments", "more than 4"}
	}
	ids, keys := map[MessageID]bool{}, map[AttachmentKey]bool{}
	for i, one := range attachments {
		if err := one.check(); err != nil {
			return err
		}
		if one.Thumbnail && (i+1 == len(attachments) || attachments[i+1].Thumbnail) {
			return &MessageError{"attachments", "a thumbnail stands before the attachment that it is for"}
		}
		if ids[one.ID] || keys[one.Key] {
			return &MessageError{"attachments", "two have one id or key"}
		}
		ids[one.ID], keys[one.Key] = true, true
	}
	return nil
}

var (
	urlPattern = regexp.MustCompile(`\Ahttps://([^/?:\[\]]+|\[[0-9a-f:]+\])(?::([1-9][0-9]{0,4}))?` +
		`((?:/(?:[A-Za-z0-9._~!$&()*+,;=:@-]|%[0-9A-Fa-f]{2})*)+)` +
		`(\?(?:[A-Za-z0-9._~!$&()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?\z`)
	namePattern = regexp.MustCompile(
		`\A(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\z`)
	ipv6Pattern    = regexp.MustCompile(`\A\[[0-9a-f:]+\]\z`)
	refusedEscapes = regexp.MustCompile(`(?i)%(?:00|2f|5c)`)
)

// IsAttachmentURL says whether devices take a text as the URL of an attachment.
func IsAttachmentURL(text string) bool {
	_, _, _, valid := parseAttachmentURL(text)
	return valid
}

// parseAttachmentURL reads the grammar of section 6, so that all readers see the same host.
func parseAttachmentURL(text string) (host string, port int, path string, valid bool) {
	parts := urlPattern.FindStringSubmatch(text)
	if len(text) > 200 || parts == nil || !isHost(parts[1]) || refusedEscapes.MatchString(parts[3]) ||
		strings.Contains(parts[4], "%00") {
		return "", 0, "", false
	}
	port = 443
	if parts[2] != "" {
		port, _ = strconv.Atoi(parts[2])
	}
	for _, segment := range strings.Split(parts[3], "/") {
		if decoded, err := url.PathUnescape(segment); err != nil || decoded == "." || decoded == ".." {
			return "", 0, "", false
		}
	}
	return parts[1], port, parts[3], port <= 65535
}

func isHost(host string) bool {
	if host == "localhost" || namePattern.MatchString(host) {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return false
	}
	// Without dots inside brackets, and without a zone.
	return address.Is4() && host[0] != '[' || ipv6Pattern.MatchString(host) && address.Is6()
}

// StoredSize is the encrypted file's length for a file's (section 6).
func StoredSize(size int64) int64 {
	padded := paddedSize(size)
	return 56 + padded + 16*(padded/chunkSize+1)
}
