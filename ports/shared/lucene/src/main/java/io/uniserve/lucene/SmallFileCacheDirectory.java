package io.uniserve.lucene;

import java.io.IOException;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.apache.lucene.index.IndexCommit;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.NRTCachingDirectory;

/**
 * {@link UnsyncedDirectory} that keeps the files of small new segments in memory until they are merged or needed on the disk. A commit of a
 * few rows has a dozen such files, and creating files is most of its cost. Thread-safe.
 */
public final class SmallFileCacheDirectory extends UnsyncedDirectory {
    /** Larger segments, by the writer's estimate, have their files on the disk from the start. */
    private static final double SEGMENT_MB_MAX = 4;

    private static final int DIRECTORY_MB_MAX = 16;
    /**
     * Files for which writers do not report a size; for temporary files only the start of the name is known. They are small compared with
     * stored fields and term vectors, which grow with the rows.
     */
    private static final Pattern SMALL_FILES = Pattern.compile("_[^.]*(\\.(fdx|fdm|fnm|liv|tvx|tvm))?");

    /** A segment's description is always on the disk, so that the directory shows the number of segments. */
    private static final String SEGMENT = ".si";

    /** Share of the heap for all directories of the process together. */
    private static final int HEAP_SHARE = 16;

    private static final Set<Cache> OPEN = ConcurrentHashMap.newKeySet();

    private final Cache cache;

    /** Cache, compared by identity. */
    private static final class Cache extends NRTCachingDirectory {
        Cache(Directory disk) {
            super(disk, SEGMENT_MB_MAX, DIRECTORY_MB_MAX);
        }

        @Override
        protected boolean doCacheWrite(String name, IOContext context) {
            boolean sized = context.flushInfo != null || context.mergeInfo != null;
            boolean small = sized
                    ? super.doCacheWrite(name, context)
                    : ramBytesUsed() < DIRECTORY_MB_MAX << 20
                            && SMALL_FILES.matcher(name).matches();
            return small && !name.endsWith(SEGMENT) && room();
        }

        private static boolean room() {
            long used = OPEN.stream().mapToLong(Cache::ramBytesUsed).sum();
            return used < Runtime.getRuntime().maxMemory() / HEAP_SHARE;
        }
    }

    private SmallFileCacheDirectory(Cache cache) {
        super(cache);
        this.cache = cache;
        OPEN.add(cache);
    }

    /** Wraps a directory on the disk. */
    public SmallFileCacheDirectory(Directory disk) {
        this(new Cache(new UnsyncedDirectory(disk)));
    }

    /** Returns the files of a commit of such a directory, after writing all of them to the disk. */
    public static Collection<String> written(IndexCommit commit) throws IOException {
        Collection<String> names = commit.getFileNames();
        ((SmallFileCacheDirectory) commit.getDirectory()).cache.sync(names);
        return names;
    }

    /** Files that are in memory only are lost: the directory is not opened again. Idempotent. */
    @Override
    public void close() throws IOException {
        if (!OPEN.remove(cache)) {
            return;
        }
        for (String name : cache.listCachedFiles()) {
            cache.deleteFile(name);
        }
        super.close();
    }
}
