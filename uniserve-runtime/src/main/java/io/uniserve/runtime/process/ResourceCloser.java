package io.uniserve.runtime.process;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * List of open resources, closed in reverse order of opening. A resource that fails to close does not prevent the others from being
 * closed. Not thread-safe.
 */
public final class ResourceCloser {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceCloser.class);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    /** Adds a resource that was just opened. Returns it. */
    public <T extends AutoCloseable> T add(T resource) {
        opened.push(resource);
        return resource;
    }

    /** Closes all resources, the newest first. A second call does nothing. */
    @SuppressWarnings("InterruptedExceptionSwallowed") // the flag is set again; other resources must still be closed
    public void closeAll() {
        for (AutoCloseable resource = opened.poll(); resource != null; resource = opened.poll()) {
            try {
                resource.close();
            } catch (Exception e) {
                if (e instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
                LOG.warn("closing {} failed", resource.getClass().getSimpleName(), e);
            }
        }
    }
}
