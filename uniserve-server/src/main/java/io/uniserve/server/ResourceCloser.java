package io.uniserve.server;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * List of open resources, closed in reverse order of opening. A resource that fails to close does not prevent the others from being
 * closed. Not thread-safe.
 */
final class ResourceCloser {
    private static final Logger LOG = LoggerFactory.getLogger(ResourceCloser.class);

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    <T extends AutoCloseable> T add(T resource) {
        opened.push(resource);
        return resource;
    }

    @SuppressWarnings("InterruptedExceptionSwallowed") // the flag is set again; other resources must still be closed
    void closeAll() {
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
