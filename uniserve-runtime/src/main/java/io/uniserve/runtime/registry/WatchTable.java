package io.uniserve.runtime.registry;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Table of watches by path. Changes in quick succession are reported once. Thread-safe. */
final class WatchTable {
    private static final Logger LOG = LoggerFactory.getLogger(WatchTable.class);

    private final Executor loop;
    private final TreeMap<String, Entry> entries = new TreeMap<>();

    WatchTable(Executor loop) {
        this.loop = loop;
    }

    /** Adds a watch; true if the path was not watched before. */
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

    /** Removes the path's watches, and cancels pending reports; true if there was one. */
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

    /** Removes all watches, and cancels pending reports. */
    synchronized void clear() {
        entries.values().forEach(entry -> entry.tasks.clear());
        entries.clear();
    }

    /** Reports a change to the path's watchers, on the loop. */
    synchronized void onChange(String path) {
        Entry entry = entries.get(path);
        if (entry == null || entry.reportPending) {
            return;
        }
        entry.reportPending = true;
        try {
            loop.execute(() -> tasks(entry).forEach(Runnable::run));
        } catch (RejectedExecutionException e) {
            LOG.debug("the loop has stopped, dropping a change of {}", path, e);
        }
    }

    /** Returns the watchers to run; a later change is reported again. */
    private synchronized List<Runnable> tasks(Entry entry) {
        entry.reportPending = false;
        return List.copyOf(entry.tasks);
    }

    private static final class Entry {
        private final List<Runnable> tasks = new ArrayList<>();
        private boolean reportPending;
    }
}
