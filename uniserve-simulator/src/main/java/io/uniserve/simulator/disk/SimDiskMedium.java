package io.uniserve.simulator.disk;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.protocol.env.Disk;
import io.uniserve.simulator.kernel.Prng;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Page cache and medium of a server's disk. The medium survives the process. */
public final class SimDiskMedium {
    private static final int SECTOR_BYTES = 512;

    private final NavigableMap<String, FileState> files = new TreeMap<>();

    /** Appends to a file, in the page cache only. */
    public void append(String path, Bytes data) {
        FileState file = files.computeIfAbsent(path, p -> new FileState());
        file.room(data.size());
        data.copyTo(file.content, file.size);
        file.size += data.size();
    }

    void sync(String path) {
        FileState file = file(path);
        if (!file.lostPages) {
            file.durable = file.size;
            file.named = true;
        }
    }

    /** Marks a failed fsync: the kernel has dropped the dirty pages, and a later fsync that succeeds does not bring them back. */
    void syncFailed(String path) {
        file(path).lostPages = true;
    }

    Bytes read(String path) {
        FileState file = file(path);
        return Bytes.wrap(Arrays.copyOf(file.content, file.size));
    }

    Bytes readRange(String path, long offset, int length) {
        Bytes whole = read(path);
        if (offset < 0 || offset + length > whole.size()) {
            throw new UniserveException(
                    ErrorCode.IO, path + " has " + whole.size() + " bytes, asked " + length + " at " + offset);
        }
        return whole.slice((int) offset, length);
    }

    void replace(String path, Bytes data) {
        FileState file = new FileState();
        file.content = data.toArray();
        file.size = data.size();
        file.durable = data.size();
        file.named = true;
        files.put(path, file);
    }

    void truncate(String path, long size) {
        FileState file = file(path);
        if (size > file.size) {
            throw new UniserveException(
                    ErrorCode.IO, "cannot truncate " + path + " from " + file.size + " to " + size + " bytes");
        }
        file.size = (int) size;
        file.durable = Math.min(file.durable, file.size);
        sync(path);
    }

    void move(String from, String to) {
        if (files.containsKey(from)) {
            files.put(to, files.remove(from));
            files.get(to).named = true;
            return;
        }
        List<String> inside = under(from);
        if (inside.isEmpty()) {
            throw absent(from);
        }
        for (String path : inside) {
            FileState file = files.remove(path);
            files.put(to + path.substring(from.length()), file);
        }
    }

    void delete(String path) {
        files.remove(path);
        under(path).forEach(files::remove);
    }

    /** Entries directly in the directory. */
    public List<Disk.Entry> list(String directory) {
        String prefix = directory.isEmpty() ? "" : directory + "/";
        List<Disk.Entry> entries = new ArrayList<>();
        Set<String> directories = new TreeSet<>();
        for (Map.Entry<String, FileState> entry : files.tailMap(prefix).entrySet()) {
            if (!entry.getKey().startsWith(prefix)) {
                break;
            }
            String rest = entry.getKey().substring(prefix.length());
            int slash = rest.indexOf('/');
            if (slash < 0) {
                entries.add(new Disk.Entry(rest, entry.getValue().size));
            } else if (directories.add(rest.substring(0, slash + 1))) {
                entries.add(new Disk.Entry(rest.substring(0, slash + 1), 0));
            }
        }
        entries.sort(java.util.Comparator.comparing(Disk.Entry::name));
        return entries;
    }

    /** Size in bytes of the files with these paths. */
    public long bytes(Predicate<String> which) {
        return files.entrySet().stream()
                .filter(entry -> which.test(entry.getKey()))
                .mapToLong(entry -> entry.getValue().size)
                .sum();
    }

    /** Stores a whole file durably. */
    public void store(String path, Bytes content) {
        replace(path, content);
    }

    /** The content of a file. */
    public Bytes content(String path) {
        return read(path);
    }

    /** The part of a file that is synced to the medium. */
    public Bytes synced(String path) {
        return read(path).slice(0, file(path).durable);
    }

    /** Paths of the files in this directory and below. */
    public List<String> under(String directory) {
        List<String> inside = new ArrayList<>();
        for (String path : files.tailMap(directory + "/").keySet()) {
            if (!path.startsWith(directory + "/")) {
                break;
            }
            inside.add(path);
        }
        return inside;
    }

    /** Flips one bit on the medium of one of these replica files, and returns its path; empty if there is none. */
    public Optional<String> flip(Prng random, Predicate<String> which) {
        List<String> paths = files.entrySet().stream()
                .filter(entry ->
                        entry.getKey().startsWith("t") && which.test(entry.getKey()) && entry.getValue().durable > 0)
                .map(Map.Entry::getKey)
                .toList();
        if (paths.isEmpty()) {
            return Optional.empty();
        }
        String path = random.pick(paths);
        FileState file = file(path);
        file.content = file.content.clone();
        file.content[random.below(file.durable)] ^= (byte) (1 << random.below(8));
        return Optional.of(path);
    }

    /** Replaces the medium by an empty one; false if it was empty already. */
    public boolean destroy() {
        boolean any = !files.isEmpty();
        files.clear();
        return any;
    }

    /** Power failure: a part of the unsynced bytes stays. If writes tear, a sector of them is garbage or empty. */
    CrashLoss crash(Prng random, boolean tear) {
        int lost = 0;
        int torn = 0;
        for (String path : List.copyOf(files.keySet())) {
            FileState file = file(path);
            int unsynced = file.size - file.durable;
            if (unsynced > 0) {
                int kept = random.below(unsynced + 1);
                lost += kept < unsynced ? 1 : 0;
                file.size = file.durable + kept;
                if (tear && kept > 0) {
                    torn++;
                    file.tear(random);
                }
            }
            if (!file.named && random.below(2) == 0) {
                files.remove(path);
            } else {
                file.named = true;
                file.durable = file.size;
                file.lostPages = false;
            }
        }
        return new CrashLoss(lost, torn);
    }

    private FileState file(String path) {
        FileState file = files.get(path);
        if (file == null) {
            throw absent(path);
        }
        return file;
    }

    private static UniserveException absent(String path) {
        return new UniserveException(ErrorCode.IO, "no such file: " + path);
    }

    /** Number of files that lost unsynced bytes, and of files with a torn last sector. */
    record CrashLoss(int lost, int torn) {}

    private static final class FileState {
        private byte[] content = new byte[64];
        private int size;
        private int durable;
        private boolean named;
        private boolean lostPages;

        private void room(int more) {
            if (size + more > content.length) {
                content = Arrays.copyOf(content, Math.max(size + more, content.length * 2));
            }
        }

        /** Makes the end of the last sector garbage, or empties a sector that never reached the medium. */
        private void tear(Prng random) {
            content = content.clone();
            if (random.below(2) == 0) {
                int from = Math.max(durable, size - SECTOR_BYTES);
                for (int i = from + random.below(size - from); i < size; i++) {
                    content[i] = (byte) random.next();
                }
            } else {
                int from = durable + random.below(size - durable);
                Arrays.fill(content, from, Math.min(size, from + SECTOR_BYTES), (byte) 0);
            }
        }
    }
}
