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
 * As {@link UnsyncedDirectory}, and the files of small new segments are in memory until they are merged away or wanted on the disk:
 * a commit of a few rows makes a dozen of them, and making files is most of what it takes. Safe for use by several threads.
 */
public final class SmallFilesDirectory extends UnsyncedDirectory {
    /** A segment of more, as a writer estimates it, has its files on the disk from the start. */
    private static final double SEGMENT_MB_MAX = 4;

    private static final int DIRECTORY_MB_MAX = 16;
    /**
     * Writers tell no size of these, of temporary files only the start of the name: they are small beside those of stored fields and of
     * vectors of terms, which grow with the rows.
     */
    private static final Pattern SMALL_FILES = Pattern.compile("_[^.]*(\\.(fdx|fdm|fnm|liv|tvx|tvm))?");

    /** A segment's description is on the disk, so that its folder tells how many there are. */
    private static final String SEGMENT = ".si";

    /** Of the heap, for all directories of the process together. */
    private static final int HEAP_SHARE = 16;

    private static final Set<Cache> OPEN = ConcurrentHashMap.newKeySet();

    private final Cache cache;

    /** Compared by identity. */
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

    private SmallFilesDirectory(Cache cache) {
        super(cache);
        this.cache = cache;
        OPEN.add(cache);
    }

    /** Over a directory on the disk. */
    public SmallFilesDirectory(Directory disk) {
        this(new Cache(new UnsyncedDirectory(disk)));
    }

    /** The files of a commit of such a directory, all of which are on the disk then. */
    public static Collection<String> written(IndexCommit commit) throws IOException {
        Collection<String> names = commit.getFileNames();
        ((SmallFilesDirectory) commit.getDirectory()).cache.sync(names);
        return names;
    }

    /** What is in memory only is gone: nobody opens the directory again. Idempotent. */
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
