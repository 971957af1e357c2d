package io.uniserve.runtime.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who watches which path. Changes close together are told once. Safe for use by several threads. */
final class WatchTable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchTable.class);

    private final Executor loop;
    private final TreeMap<String, Entry> entries = new TreeMap<>();

    WatchTable(Executor loop) {
        this.loop = loop;
    }

    /** Adds a watch; true when the path was not watched before. */
    synchronized boolean add(String path, Runnable changed) {
        Entry entry = entries.get(path);
        boolean first = entry == null;
        if (entry == null) {
            entry = new Entry();
            entries.put(path, entry);
        }
        entry.tasks.add(changed);
        return first;
    }

    /** Forgets the path's watches, also one about to be told; true where there was one. */
    synchronized boolean remove(String path) {
        Entry entry = entries.remove(path);
        if (entry != null) {
            entry.tasks.clear();
        }
        return entry != null;
    }

    synchronized List<String> paths() {
        return List.copyOf(entries.keySet());
    }

    /** Forgets all watches, also those about to be told. */
    synchronized void clear() {
        entries.values().forEach(entry -> entry.tasks.clear());
        entries.clear();
    }

    /** Tells the path's watchers on the loop. */
    synchronized void changed(String path) {
        Entry entry = entries.get(path);
        if (entry == null || entry.told) {
            return;
        }
        entry.told = true;
        try {
            loop.execute(() -> tasks(entry).forEach(Runnable::run));
        } catch (RejectedExecutionException e) {
            LOG.debug("the loop has stopped, a change of {} is not told", path, e);
        }
    }

    /** What to run; a change from now on is told anew. */
    private synchronized List<Runnable> tasks(Entry entry) {
        entry.told = false;
        return List.copyOf(entry.tasks);
    }

    private static final class Entry {
        private final List<Runnable> tasks = new ArrayList<>();
        private boolean told;
    }
}
