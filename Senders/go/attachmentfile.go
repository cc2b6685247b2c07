package sealedpush

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
	"net/http"
	"net/url"
	"os"

	"golang.org/x/crypto/hkdf"
)

const (
	chunkSize         = 16_384
	saltSize          = 24
	chunkFormat       = "c2sp.org/chunked-encryption@v1+AEAD_AES_256_GCM"
	attachmentContext = "SealedPush/1 attachment"
)

// ErrFileChanged says that a file had another length than at first: it was not sealed.
const ErrFileChanged = constantError("the file changed its length while it was read")

// paddedSize is Padmé's: a length tells its magnitude and a few bits (section 6).
func paddedSize(size int64) int64 {
	if size < 2 {
		return size
	}
	e := bits.Len64(uint64(size)) - 1
	s := bits.Len64(uint64(e))
	mask := int64(1)<<(e-s) - 1
	return (size + mask) &^ mask
}

// SealAttachment encrypts size bytes of source to destination, 16 KiB at a time (section 21). Key, id and salt are new.
// After an error, what was written is to be deleted.
//
// The pointer lacks URL, Type and, if there is to be one, Name.
func SealAttachment(destination io.Writer, source io.Reader, size int64) (*Attachment, error) {
	if size < 0 || size > attachmentSizeMax {
		return nil, &MessageError{"attachments", "size is not 0 to 2^40"}
	}
	random := make([]byte, 32+16+saltSize)
	defer wipe(random)
	if err := randomBytes(random); err != nil {
		return nil, err
	}
	pointer := &Attachment{Size: size, Stored: StoredSize(size)}
	copy(pointer.Key[:], random)
	copy(pointer.ID[:], random[32:])
	return pointer, sealChunks(destination, source, pointer, random[48:])
}

func sealChunks(destination io.Writer, source io.Reader, pointer *Attachment, salt []byte) error {
	info := append([]byte(chunkFormat+"\x00"), salt...)
	info = append(append(info, prefixed(attachmentContext)...), pointer.ID[:]...)
	keys := make([]byte, 32+12+32)
	defer wipe(keys)
	_, _ = io.ReadFull(hkdf.Expand(sha512.New, pointer.Key[:], info), keys)
	aead, err := newGCM(keys[:32])
	if err != nil {
		return err
	}
	if _, err := destination.Write(append(append([]byte(nil), salt...), keys[44:]...)); err != nil {
		return err
	}
	padded := paddedSize(pointer.Size)
	file := &paddedReader{source: source, left: pointer.Size, padding: padded - pointer.Size}
	chunk := make([]byte, chunkSize, chunkSize+16)
	defer wipe(chunk)
	nonce := make([]byte, 12)
	for n := int64(0); n <= padded/chunkSize; n++ {
		count := chunkSize
		if n == padded/chunkSize {
			count = int(padded % chunkSize)
		}
		if _, err := io.ReadFull(file, chunk[:count]); err != nil {
			return err
		}
		copy(nonce, keys[32:44])
		binary.BigEndian.PutUint64(nonce[4:], binary.BigEndian.Uint64(nonce[4:])^uint64(n))
		if _, err := destination.Write(aead.Seal(chunk[:0], nonce, chunk[:count], nil)); err != nil {
			return err
		}
	}
	return file.checkEnd()
}

func newGCM(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// paddedReader gives a file of exactly so many bytes, then zeros.
type paddedReader struct {
	source        io.Reader
	left, padding int64
}

func (r *paddedReader) Read(out []byte) (int, error) {
	if r.left == 0 {
		count := int64(len(out))
		if count > r.padding {
			count = r.padding
		}
		wipe(out[:count])
		r.padding -= count
		return int(count), nil
	}
	if int64(len(out)) > r.left {
		out = out[:r.left]
	}
	count, err := r.source.Read(out)
	r.left -= int64(count)
	if errors.Is(err, io.EOF) {
		if err = nil; r.left > 0 {
			err = ErrFileChanged
		}
	}
	return count, err
}

func (r *paddedReader) checkEnd() error {
	if _, err := io.ReadFull(r.source, make([]byte, 1)); err == nil {
		return ErrFileChanged
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// SealAttachmentFile encrypts a file to a new one of mode 0600; after an error there is none.
func SealAttachmentFile(from, to string) (pointer *Attachment, err error) {
	source, err := os.Open(from)
	if err != nil {
		return nil, systemError(from, err)
	}
	defer source.Close()
	status, err := source.Stat()
	if err != nil {
		return nil, systemError(from, err)
	}
	if !status.Mode().IsRegular() {
		return nil, &FileError{from, ReasonNotAFile, nil}
	}
	destination, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, systemError(to, err)
	}
	pointer, err = SealAttachment(destination, source, status.Size())
	if closing := destination.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(to)
		return nil, err
	}
	return pointer, nil
}

// UploadAttachment sends a sealed file to a pre-signed URL by one PUT with Content-Length and no other field, again after
// a 5xx or a broken connection. It gives the URL without its query, for the pointer where everybody may read the file.
//
// Errors: *UploadError, *FileError, *ConnectionError.
func UploadAttachment(ctx context.Context, path, to string, options HTTPOptions) (string, error) {
	target, err := url.Parse(to)
	if err != nil || target.Scheme != "https" || target.User != nil || target.Host == "" {
		return "", &UploadError{}
	}
	client := newClient(options)
	defer client.CloseIdleConnections()
	err = options.retry(ctx, func() (attempt, error) {
		file, err := os.Open(path)
		if err != nil {
			return attempt{}, systemError(path, err)
		}
		defer file.Close()
		status, err := file.Stat()
		if err != nil {
			return attempt{}, systemError(path, err)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPut, to, file)
		if err != nil {
			return attempt{}, &UploadError{}
		}
		request.ContentLength = status.Size()
		request.Header.Set("User-Agent", "")
		response, err := client.Do(request)
		if err != nil {
			return connectionFailure(ctx, err)
		}
		defer response.Body.Close()
		switch response.StatusCode {
		case http.StatusOK, http.StatusCreated, http.StatusNoContent:
			return attempt{}, nil
		}
		return attempt{again: response.StatusCode >= 500}, &UploadError{response.StatusCode}
	})
	if err != nil {
		return "", err
	}
	target.RawQuery, target.ForceQuery, target.Fragment = "", false, ""
	return target.String(), nil
}
