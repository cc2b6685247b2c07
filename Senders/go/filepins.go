//go:build unix

package sealedpush

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// FilePins is a folder of pins for all processes of a machine, the same as `sealedpush seal --pins` and the Swift sender
// use. A crash leaves the old pin or the new one.
//
//	FOLDER/ab/cdef…   the pin of the slot whose name begins "abcdef"
//	FOLDER/ab/lock    locked (flock) while a pin of that subfolder is read and changed
type FilePins struct{ folder string }

// NewFilePins makes the folder with mode 0700 if it is missing. One that group or others may write to is refused.
func NewFilePins(folder string) (*FilePins, error) {
	if err := makeFolder(folder); err != nil {
		return nil, err
	}
	status, err := os.Stat(folder)
	if err != nil {
		return nil, systemError(folder, err)
	}
	if status.Mode().Perm()&0o022 != 0 {
		return nil, &FileError{folder, ReasonPermissions, nil}
	}
	return &FilePins{folder}, nil
}

func makeFolder(path string) error {
	err := os.Mkdir(path, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return systemError(path, err)
	}
	return nil
}

// Update is of PinStore.
func (f *FilePins) Update(device Device, change func(*Pin) (*Pin, error)) error {
	slot := device.Slot()
	subfolder := filepath.Join(f.folder, slot[:2])
	path := filepath.Join(subfolder, slot[2:])
	if err := makeFolder(subfolder); err != nil {
		return err
	}
	lock, err := os.OpenFile(filepath.Join(subfolder, "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return systemError(subfolder, err)
	}
	// Unlocked by hand as well: a child that is forked now has the descriptor, and with it the lock.
	defer lock.Close()
	for err = syscall.EINTR; errors.Is(err, syscall.EINTR); {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return systemError(subfolder, err)
	}
	defer syscall.Flock(int(lock.Fd()), syscall.LOCK_UN)
	old, err := readPin(path, device)
	if err != nil {
		return err
	}
	pin, err := change(old)
	if err != nil || pin == old {
		return err
	}
	if pin == nil {
		return removePin(path)
	}
	return writeFile(path, pin.Encode(device), os.Rename)
}

func readPin(path string, device Device) (*Pin, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, systemError(path, err)
	}
	defer file.Close()
	encoded, err := io.ReadAll(io.LimitReader(file, pinSizeMax+1))
	if err != nil {
		return nil, systemError(path, err)
	}
	pin, valid := DecodePin(encoded, device)
	if !valid {
		return nil, &FileError{path, ReasonDamaged, nil}
	}
	return pin, nil
}

func removePin(path string) error {
	err := os.Remove(path)
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return systemError(path, err)
	}
	return nil
}
