package io.uniserve.protocol.testing;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Completion;
import io.uniserve.protocol.env.Disk;
import io.uniserve.protocol.env.Done;
import io.uniserve.protocol.env.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Disk in memory that loses unsynced data at a crash. It fails only on request of a test. */
public final class TestingDisk implements Disk {
    private final TestingLoop loop;
    private final TreeMap<String, Content> files = new TreeMap<>();
    private int life;
    private final AtomicLong order = new AtomicLong();
    private int appends;
    private int syncs;
    private boolean full;
    private boolean syncFails;
    private boolean deletesFail;
    private boolean hangs;
    private boolean replacingHangs;
    private boolean appendingHangs;
    private final List<Runnable> hanging = new ArrayList<>();
    private @Nullable String unreadable;

    private record Content(byte[] bytes, int synced) {}

    public TestingDisk(TestingLoop loop) {
        this.loop = loop;
    }

    /** Kills the process. Operations under way never end, and unsynced bytes are lost except this many per file. */
    public void crash(int tornBytes) {
        life++;
        files.replaceAll((path, content) -> {
            int kept = Math.min(content.bytes.length, content.synced + tornBytes);
            return new Content(Arrays.copyOf(content.bytes, kept), kept);
        });
    }

    /** Makes writes that need space fail after one half, or work again. */
    public void full(boolean value) {
        full = value;
    }

    /** Makes syncs hang, or completes those that wait. */
    public void hang(boolean value) {
        hangs = value;
        hangingGoOn();
    }

    /** Makes replacements of whole files hang, or completes those that wait. */
    public void hangReplacing(boolean value) {
        replacingHangs = value;
        hangingGoOn();
    }

    /** Makes appends hang, or completes those that wait. */
    public void hangAppending(boolean value) {
        appendingHangs = value;
        hangingGoOn();
    }

    private void hangingGoOn() {
        List<Runnable> due = List.copyOf(hanging);
        hanging.clear();
        due.forEach(Runnable::run);
    }

    /** Makes every sync fail from now on. */
    public void failSyncs() {
        syncFails = true;
    }

    /** Makes deletions fail, or work again. */
    public void failDeletes(boolean value) {
        deletesFail = value;
    }

    /** Flips one bit. */
    public void flip(String path, int at) {
        bytes(path)[at] ^= 1;
    }

    /** Removes all files with this prefix. */
    public void wipe(String prefix) {
        files.keySet().removeIf(path -> path.startsWith(prefix));
    }

    /** Makes reads of files with this prefix fail from now on. */
    public void failReads(String prefix) {
        unreadable = prefix;
    }

    /** The file's bytes, to read or to damage. */
    public byte[] bytes(String path) {
        Content content = files.get(path);
        if (content == null) {
            throw new IllegalArgumentException("no file " + path);
        }
        return content.bytes;
    }

    /** Names of all files with this prefix. */
    public List<String> files(String prefix) {
        return files.keySet().stream().filter(path -> path.startsWith(prefix)).toList();
    }

    /** Writes a file at once, for an engine that writes checkpoints. */
    public void put(String path, byte[] bytes) {
        files.put(path, new Content(bytes, bytes.length));
    }

    public int appends() {
        return appends;
    }

    public int syncs() {
        return syncs;
    }

    private <T> void run(Completion<T> completion, Supplier<Outcome<T>> action) {
        int started = life;
        loop.inOrder(order, 50_000, () -> {
            if (started == life) {
                completion.done(action.get());
            }
        });
    }

    private static <T> Outcome<T> error(ErrorCode code, String path) {
        return Outcome.err(new UniserveException(code, path));
    }

    @Override
    public void append(String path, Bytes data, Completion<Done> completion) {
        if (appendingHangs) {
            whenItAnswers(() -> append(path, data, completion));
            return;
        }
        appends++;
        run(completion, () -> {
            @Nullable Content before = files.get(path);
            Content old = before == null ? new Content(new byte[0], 0) : before;
            int more = full ? data.size() / 2 : data.size();
            byte[] bytes = Arrays.copyOf(old.bytes, old.bytes.length + more);
            data.slice(0, more).copyTo(bytes, old.bytes.length);
            files.put(path, new Content(bytes, old.synced));
            return full ? error(ErrorCode.DISK_FULL, path) : Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void sync(String path, Completion<Done> completion) {
        syncs++;
        if (hangs) {
            whenItAnswers(() -> sync(path, completion));
            return;
        }
        run(completion, () -> {
            if (syncFails) {
                return error(ErrorCode.IO, path);
            }
            files.computeIfPresent(path, (name, content) -> new Content(content.bytes, content.bytes.length));
            return Outcome.ok(Done.DONE);
        });
    }

    private void whenItAnswers(Runnable task) {
        int started = life;
        hanging.add(() -> {
            if (started == life) {
                task.run();
            }
        });
    }

    @Override
    public void read(String path, Completion<Bytes> completion) {
        run(completion, () -> {
            Content content = files.get(path);
            if (unreadable != null && path.startsWith(unreadable)) {
                return error(ErrorCode.IO, path);
            }
            return content == null ? error(ErrorCode.IO, path) : Outcome.ok(Bytes.wrap(content.bytes.clone()));
        });
    }

    @Override
    public void replace(String path, Bytes data, Completion<Done> completion) {
        if (replacingHangs) {
            whenItAnswers(() -> replace(path, data, completion));
            return;
        }
        run(completion, () -> {
            if (full) {
                return error(ErrorCode.DISK_FULL, path);
            }
            put(path, data.toArray());
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void truncate(String path, long size, Completion<Done> completion) {
        run(completion, () -> {
            put(path, Arrays.copyOf(bytes(path), (int) size));
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void move(String from, String to, Completion<Done> completion) {
        run(completion, () -> {
            for (String path : List.copyOf(files.keySet())) {
                if (path.equals(from) || path.startsWith(from + "/")) {
                    Content moved = files.remove(path);
                    if (moved != null) {
                        files.put(to + path.substring(from.length()), moved);
                        unreadable = null;
                    }
                }
            }
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void delete(String path, Completion<Done> completion) {
        run(completion, () -> {
            if (deletesFail) {
                return error(ErrorCode.IO, path);
            }
            files.keySet().removeIf(name -> name.equals(path) || name.startsWith(path + "/"));
            return Outcome.ok(Done.DONE);
        });
    }

    @Override
    public void list(String directory, Completion<List<Entry>> completion) {
        run(completion, () -> {
            String prefix = directory.isEmpty() ? "" : directory + "/";
            TreeSet<String> names = new TreeSet<>();
            for (String path : files(prefix)) {
                String rest = path.substring(prefix.length());
                int slash = rest.indexOf('/');
                names.add(slash < 0 ? rest : rest.substring(0, slash + 1));
            }
            List<Entry> entries = new ArrayList<>();
            names.forEach(name -> entries.add(new Entry(name, name.endsWith("/") ? 0 : bytes(prefix + name).length)));
            return Outcome.ok(entries);
        });
    }
}
