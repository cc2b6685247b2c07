package sealedpush

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FileError says why a file cannot be used, with its path and without its contents.
type FileError struct {
	Path   string
	Reason string
	// Err is the system's error; nil where the contents are at fault.
	Err error
}

func (e *FileError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("sealedpush: %s: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("sealedpush: %s: %s", e.Path, e.Reason)
}

// Unwrap gives the system's error, for errors.Is with fs.ErrNotExist and fs.ErrExist.
func (e *FileError) Unwrap() error { return e.Err }

// Reasons of a FileError.
const (
	ReasonSystem      = "a system call failed"
	ReasonNotAFile    = "not a regular file"
	ReasonTooLarge    = "larger than a valid file"
	ReasonPermissions = "group or others may use it: chmod go-rwx"
	ReasonExampleKey  = "a published example key, which protects nothing"
	ReasonPublicKey   = "a public key, where the private one belongs"
	ReasonMalformed   = "not a file of this format"
	ReasonDamaged     = "damaged, or of another device"
)

func systemError(path string, err error) error {
	var inner *fs.PathError
	if errors.As(err, &inner) {
		err = fmt.Errorf("%s: %w", inner.Op, inner.Err)
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		err = fmt.Errorf("%s: %w", link.Op, link.Err)
	}
	return &FileError{path, ReasonSystem, err}
}

const (
	keyFileFormat  = "sealedpush-sender-key-1"
	exampleMark    = "# SealedPush example key"
	keyFileSizeMax = 64 << 10
)

// LoadSenderKey reads a key file of Save or of `sealedpush keygen sender`. One that others may read is refused.
//
// The error is a *FileError; errors.Is(err, fs.ErrNotExist) says that there is no file yet.
func LoadSenderKey(path string) (*SenderKey, error) {
	// A named pipe must not hold the caller.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, systemError(path, err)
	}
	defer file.Close()
	status, err := file.Stat()
	if err != nil {
		return nil, systemError(path, err)
	}
	if !status.Mode().IsRegular() {
		return nil, &FileError{path, ReasonNotAFile, nil}
	}
	text, err := io.ReadAll(io.LimitReader(file, keyFileSizeMax+1))
	defer wipe(text)
	switch {
	case err != nil:
		return nil, systemError(path, err)
	case len(text) > keyFileSizeMax:
		return nil, &FileError{path, ReasonTooLarge, nil}
	case bytes.HasPrefix(text, []byte(exampleMark)):
		return nil, &FileError{path, ReasonExampleKey, nil}
	case bytes.HasPrefix(text, []byte(senderPrefix)), bytes.HasPrefix(text, []byte(identityPrefix)):
		return nil, &FileError{path, ReasonPublicKey, nil}
	case status.Mode().Perm()&0o077 != 0:
		return nil, &FileError{path, ReasonPermissions, nil}
	}
	seed := make([]byte, 32)
	defer wipe(seed)
	if !readSeed(text, seed) {
		return nil, &FileError{path, ReasonMalformed, nil}
	}
	key, err := SenderKeyFromSeed(seed)
	if err != nil {
		return nil, &FileError{path, ReasonMalformed, nil}
	}
	return key, nil
}

// readSeed reads section 23's format. Any other line refuses the file: a misspelt name must not hide a key.
func readSeed(text, seed []byte) bool {
	var lines [][]byte
	for _, line := range bytes.Split(text, []byte{'\n'}) {
		if len(line) != 0 && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return len(lines) == 2 && string(lines[0]) == keyFileFormat && bytes.HasPrefix(lines[1], []byte("sender ")) &&
		decodeInto(seed, lines[1][len("sender "):]) == nil
}

// Save makes a key file of mode 0600, whole or not at all. It never replaces one: of two processes that start at once,
// one gets fs.ErrExist and loads the other's file.
func (k *SenderKey) Save(path string) error {
	seed := k.Seed()
	text := make([]byte, base64url.EncodedLen(len(seed)))
	base64url.Encode(text, seed)
	file := append(append([]byte(keyFileFormat+"\nsender "), text...), '\n')
	defer wipe(seed, text, file)
	return writeFile(path, file, os.Link)
}

// writeFile forces a file of mode 0600 to the disk beside its place, then puts it there by os.Link (fails if there is
// one) or os.Rename (replaces).
func writeFile(path string, contents []byte, place func(from, to string) error) error {
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, ".new-")
	if err != nil {
		return systemError(path, err)
	}
	defer os.Remove(file.Name())
	_, err = file.Write(contents)
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = place(file.Name(), path)
	}
	if err == nil {
		err = syncFolder(folder)
	}
	if err != nil {
		return systemError(path, err)
	}
	return nil
}

// syncFolder makes a new name durable. Some file systems refuse and order it themselves.
func syncFolder(path string) error {
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := folder.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}
