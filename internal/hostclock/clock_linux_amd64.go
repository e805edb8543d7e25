//go:build !simulated

package hostclock

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// A Clock is the wall clock of a process.
type Clock struct {
	pid  int
	slot int64 // where its memory has the offset, in ns
}

// code is clock_gettime(edi: the clock, rsi: what to fill in); what follows it, aligned, is the
// offset. It uses no register that the callee must keep.
var code = []byte{
	0xb8, 0xe4, 0x00, 0x00, 0x00, // mov eax, 228 (clock_gettime)
	0x0f, 0x05, // syscall
	0x85, 0xc0, // test eax, eax
	0x75, 0x29, // jnz out
	0x85, 0xff, // test edi, edi (CLOCK_REALTIME)
	0x75, 0x25, // jnz out
	0x48, 0x69, 0x06, 0x00, 0xca, 0x9a, 0x3b, // imul rax, [rsi], 1000000000
	0x48, 0x03, 0x46, 0x08, // add rax, [rsi+8]
	0x48, 0x03, 0x05, 0x17, 0x00, 0x00, 0x00, // add rax, [offset]
	0x48, 0x99, // cqo
	0xb9, 0x00, 0xca, 0x9a, 0x3b, // mov ecx, 1000000000
	0x48, 0xf7, 0xf9, // idiv rcx
	0x48, 0x89, 0x06, // mov [rsi], rax
	0x48, 0x89, 0x56, 0x08, // mov [rsi+8], rdx
	0x31, 0xc0, // xor eax, eax
	0xc3,             // out: ret
	0xcc, 0xcc, 0xcc, // up to the offset
}

// Supported reports whether the wall clock of a process can be moved here.
func Supported() error { return nil }

// Plant makes the wall clock of a process one that can be moved. The process must stand still
// and have run nothing yet, as one does that is traced from its start. Its memory must be open
// to the caller, as that of a child is.
func Plant(pid int) (*Clock, error) {
	c, err := plant(pid)
	if err != nil {
		return nil, fmt.Errorf("a clock for process %d: %w", pid, err)
	}
	return c, nil
}

func plant(pid int) (*Clock, error) {
	from, to, err := mapped(pid)
	if err != nil {
		return nil, err
	}
	mem, err := memory(pid)
	if err != nil {
		return nil, err
	}
	defer mem.Close()
	image := make([]byte, to-from)
	if _, err := mem.ReadAt(image, from); err != nil {
		return nil, fmt.Errorf("read the vDSO: %w", err)
	}
	at, size, err := entry(image)
	if err != nil {
		return nil, err
	}
	if at%8 != 0 || size < int64(len(code))+8 {
		return nil, fmt.Errorf("its clock_gettime is %d bytes at %#x, and %d are needed: %w", size, at, len(code)+8, ErrNotHere)
	}
	if _, err := mem.WriteAt(append(bytes.Clone(code), make([]byte, 8)...), from+at); err != nil {
		return nil, fmt.Errorf("write to the vDSO: %w", err)
	}
	return &Clock{pid: pid, slot: from + at + int64(len(code))}, nil
}

// Set makes the process's wall clock run offset ahead of the host's, or behind it. It returns an error
// if the process has become another program since, which has a clock like the host's.
func (c *Clock) Set(offset time.Duration) error {
	mem, err := memory(c.pid)
	if err != nil {
		return err
	}
	defer mem.Close()
	there := make([]byte, len(code))
	if _, err := mem.ReadAt(there, c.slot-int64(len(code))); err != nil || !bytes.Equal(there, code) {
		return fmt.Errorf("process %d has become another program, with a clock like the host's", c.pid)
	}
	if _, err := mem.WriteAt(binary.LittleEndian.AppendUint64(nil, uint64(offset)), c.slot); err != nil {
		return fmt.Errorf("set the clock of process %d: %w", c.pid, err)
	}
	return nil
}

// Sees returns an error unless this process's wall clock runs offset ahead of the host's.
func Sees(offset time.Duration) error {
	var host unix.Timespec
	before := time.Now()
	if err := unix.ClockGettime(unix.CLOCK_REALTIME, &host); err != nil { // the system call itself
		return fmt.Errorf("ask the kernel for the time: %w", err)
	}
	after := time.Now()
	least, most := time.Duration(before.UnixNano()-host.Nano()), time.Duration(after.UnixNano()-host.Nano())
	if offset < least || offset > most {
		return fmt.Errorf("the wall clock is %v to %v ahead of the kernel's, not %v", least, most, offset)
	}
	return nil
}

func memory(pid int) (*os.File, error) {
	return os.OpenFile("/proc/"+strconv.Itoa(pid)+"/mem", os.O_RDWR, 0)
}

// mapped is where a process has its vDSO.
func mapped(pid int) (from, to int64, err error) {
	maps, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/maps")
	if err != nil {
		return 0, 0, err
	}
	for line := range bytes.Lines(maps) {
		if bytes.HasSuffix(bytes.TrimSpace(line), []byte("[vdso]")) {
			_, err := fmt.Sscanf(string(line), "%x-%x ", &from, &to)
			return from, to, err
		}
	}
	return 0, 0, errors.Join(errors.New("it has no vDSO"), ErrNotHere)
}
