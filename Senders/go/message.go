package sealedpush

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Operations of a message; a message without one is shown.
const (
	OpReplace = "replace"
	OpRemove  = "remove"
	OpBadge   = "badge"
	OpCall    = "call"
	OpTest    = "test"
)

// Message is the sealed body (section 6), a text to show or an operation on earlier ones. Empty members are absent.
// Signed is not trusted: the device allows members by the sender's role and rights.
type Message struct {
	Op     string     `json:"op,omitempty"`
	Target *MessageID `json:"target,omitempty"`
	// Call is opaque to all but the app.
	Call string `json:"call,omitempty"`
	// Badge is 0 to 9,999; services only.
	Badge           *int     `json:"badge,omitempty"`
	Title           string   `json:"title,omitempty"`
	Subtitle        string   `json:"subtitle,omitempty"`
	Body            string   `json:"body,omitempty"`
	TitleLocKey     string   `json:"title-loc-key,omitempty"`
	TitleLocArgs    []string `json:"title-loc-args,omitempty"`
	SubtitleLocKey  string   `json:"subtitle-loc-key,omitempty"`
	SubtitleLocArgs []string `json:"subtitle-loc-args,omitempty"`
	LocKey          string   `json:"loc-key,omitempty"`
	LocArgs         []string `json:"loc-args,omitempty"`
	// ThreadID is the conversation.
	ThreadID string `json:"thread-id,omitempty"`
	Category string `json:"category,omitempty"`
	Sound    string `json:"sound,omitempty"`
	// SoundVolume is "0" to "1" with at most four decimals.
	SoundVolume string `json:"sound-volume,omitempty"`
	// Level is passive, active, time-sensitive or critical.
	Level string `json:"level,omitempty"`
	// RelevanceScore is "0" to "1" with at most four decimals.
	RelevanceScore  string `json:"relevance-score,omitempty"`
	TargetContentID string `json:"target-content-id,omitempty"`
	// Sender is the displayed name; services only.
	Sender string `json:"sender,omitempty"`
	// UserInfo has at most 16 strings, integers and booleans, by names that the app allows.
	UserInfo    map[string]any `json:"user-info,omitempty"`
	Attachments []Attachment   `json:"attachments,omitempty"`
	// Receipt asks for a receipt, which the app must have turned on. Each message for each device gets a new one.
	Receipt *Receipt `json:"receipt,omitempty"`
	// Critical names members that the device must understand.
	Critical []string `json:"crit,omitempty"`
}

// Format prints no contents.
func (m Message) Format(f fmt.State, _ rune) { redacted(f, "Message") }

// MessageError names the member at fault, never its contents.
type MessageError struct{ Member, Reason string }

func (e *MessageError) Error() string { return "sealedpush: message: " + e.Member + ": " + e.Reason }

// TooLongError says by how many bytes of JSON a message is too long, after shortening where that was asked for.
type TooLongError struct{ Excess int }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("sealedpush: the message is %d bytes too long", e.Excess)
}

// MessageID is the 16 random bytes of a message, the same for all its devices and when it is sealed again.
type MessageID [16]byte

func (id MessageID) String() string { return base64url.EncodeToString(id[:]) }

// MarshalText writes 22 characters of base64url.
func (id MessageID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads 22 characters of base64url.
func (id *MessageID) UnmarshalText(text []byte) error { return decodeInto(id[:], text) }

// Receipt is a receipt capability: whoever has it can send the one receipt. The relay gets its Hash only.
type Receipt [16]byte

// NewReceipt makes a random capability.
func NewReceipt() (*Receipt, error) {
	var receipt Receipt
	return &receipt, randomBytes(receipt[:])
}

// Hash is the relay's receipt-hash (docs/service.md).
func (r Receipt) Hash() string {
	digest := sha256.Sum256(append(prefixed("SealedPush/1 receipt"), r[:]...))
	return base64url.EncodeToString(digest[:])
}

// Format prints no secret.
func (r Receipt) Format(f fmt.State, _ rune) { redacted(f, "Receipt") }

// MarshalText writes 22 characters of base64url, for the sealed body and for the sender's own store.
func (r Receipt) MarshalText() ([]byte, error) { return []byte(base64url.EncodeToString(r[:])), nil }

// UnmarshalText reads 22 characters of base64url.
func (r *Receipt) UnmarshalText(text []byte) error { return decodeInto(r[:], text) }

var (
	decimalPattern  = regexp.MustCompile(`\A(0|1|0\.[0-9]{1,4}|1\.0{1,4})\z`)
	infoNamePattern = regexp.MustCompile(`\A[!-~]{1,64}\z`)
	bodyMembers     = " op target call badge title subtitle body title-loc-key title-loc-args subtitle-loc-key" +
		" subtitle-loc-args loc-key loc-args thread-id category sound sound-volume level relevance-score" +
		" target-content-id sender user-info attachments receipt crit "
)

// check refuses whatever a device would refuse or ignore, each by its member.
func (m *Message) check() error {
	takesText := m.Op == "" || m.Op == OpReplace
	texts := []string{m.Call, m.Title, m.Subtitle, m.Body, m.TitleLocKey, m.SubtitleLocKey, m.LocKey, m.ThreadID,
		m.Category, m.Sound, m.TargetContentID, m.Sender}
	for _, list := range [][]string{m.TitleLocArgs, m.SubtitleLocArgs, m.LocArgs} {
		texts = append(texts, list...)
	}
	for _, rule := range []struct {
		broken         bool
		member, reason string
	}{
		{!takesText && !oneOf(m.Op, OpRemove, OpBadge, OpCall, OpTest), "op", "not an operation"},
		{(m.Target != nil) != (m.Op == OpReplace || m.Op == OpRemove), "target", "belongs to replace and remove"},
		{(m.Call != "") != (m.Op == OpCall), "call", "belongs to the operation call"},
		{m.Badge == nil && m.Op == OpBadge, "badge", "is missing"},
		{m.Badge != nil && (*m.Badge < 0 || *m.Badge > 9999), "badge", "not 0 to 9,999"},
		{takesText && m.Title+m.Body+m.TitleLocKey+m.LocKey == "", "body", "title, body or a key of one is needed"},
		{badArgs(m.TitleLocKey, m.TitleLocArgs), "title-loc-args", "at most 8, beside their key"},
		{badArgs(m.SubtitleLocKey, m.SubtitleLocArgs), "subtitle-loc-args", "at most 8, beside their key"},
		{badArgs(m.LocKey, m.LocArgs), "loc-args", "at most 8, beside their key"},
		{m.SoundVolume != "" && (m.Sound == "" || !decimalPattern.MatchString(m.SoundVolume)), "sound-volume",
			"0 to 1 with at most four decimals, beside sound"},
		{!oneOf(m.Level, "", "passive", "active", "time-sensitive", "critical"), "level", "not a level"},
		{m.RelevanceScore != "" && !decimalPattern.MatchString(m.RelevanceScore), "relevance-score",
			"0 to 1 with at most four decimals"},
		{len(m.Attachments) > 0 && !takesText, "attachments", "belong to show and replace"},
		{len(m.UserInfo) > 16, "user-info", "more than 16 values"},
	} {
		if rule.broken {
			return &MessageError{rule.member, rule.reason}
		}
	}
	for name, value := range m.UserInfo {
		if !infoNamePattern.MatchString(name) {
			return &MessageError{"user-info", "a name is not 1 to 64 characters U+0021 to U+007E"}
		}
		switch value := value.(type) {
		case string:
			texts = append(texts, value)
		case bool, int, int64:
		case json.Number:
			if _, err := value.Int64(); err != nil || value == "-0" {
				return &MessageError{"user-info", "a number is no integer of 64 bits"}
			}
		default:
			return &MessageError{"user-info", "a value is no string, integer or boolean"}
		}
	}
	for _, name := range m.Critical {
		if strings.Contains(name, " ") || !strings.Contains(bodyMembers, " "+name+" ") {
			return &MessageError{"crit", "not a member of a message"}
		}
	}
	for _, text := range texts {
		if !isText(text) {
			return &MessageError{"text", "not UTF-8, or with U+0000"}
		}
	}
	return checkAttachments(m.Attachments)
}

func isText(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

func oneOf(text string, words ...string) bool {
	for _, word := range words {
		if text == word {
			return true
		}
	}
	return false
}

func badArgs(key string, arguments []string) bool {
	return len(arguments) > 8 || key == "" && len(arguments) != 0
}

// encode gives the body, and whether its text was cut. It never writes more bytes than there is room for.
func (m Message) encode(room int, refuse bool) (body []byte, truncated bool, err error) {
	if m.Op == "show" {
		m.Op = ""
	}
	if err := m.check(); err != nil {
		return nil, false, err
	}
	body, err = marshal(m)
	if err != nil || len(body) <= room {
		return body, false, err
	}
	whole := m.Body
	ends := cuts(whole, room)
	fits := func(i int) bool {
		m.Body = whole[:ends[i]]
		short, failed := marshal(m)
		return failed == nil && len(short) <= room
	}
	// Without any text but the body, the shortest one is not empty.
	if m.Title+m.TitleLocKey+m.LocKey == "" && (m.Op == "" || m.Op == OpReplace) {
		ends = ends[1:]
	}
	if refuse || len(ends) == 0 || !fits(0) {
		return nil, false, &TooLongError{len(body) - room}
	}
	last := sort.Search(len(ends), func(i int) bool { return !fits(i) }) - 1
	m.Body = whole[:ends[last]]
	body, err = marshal(m)
	return body, true, err
}

// marshal writes JSON without white space, and without Go's escapes for HTML.
func marshal(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// cuts has the places in the first bytes of a text where it may end, in order; the first one is 0.
//
// A text ends between grapheme clusters (section 6). Go's standard library does not know them, so only places are
// taken that are such by any version of the Unicode standard; half a flag or a letter without its accent never is.
func cuts(text string, length int) []int {
	ends := []int{0}
	var before rune
	for i, after := range text {
		if i > length {
			break
		}
		if i > 0 && isCut(before, after) {
			ends = append(ends, i)
		}
		before = after
	}
	return ends
}

func isCut(before, after rune) bool {
	switch after {
	case '\n':
		return before != '\r'
	case ' ':
		// Letters that take in what follows are U+0D4E and some of the Brahmic scripts there.
		return unicode.In(before, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) && before != 0xd4e &&
			(before < 0x11000 || before > 0x11fff)
	}
	return isPlain(before) && isPlain(after)
}

// isPlain says that a character neither extends nor takes in its neighbours: ASCII, and letters of scripts without
// conjuncts but the two halfwidth marks of Katakana, which extend.
func isPlain(r rune) bool {
	if r < 0x80 {
		return r >= ' ' && r != 0x7f
	}
	return r != 0xff9e && r != 0xff9f && unicode.IsLetter(r) &&
		unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana)
}
