package io.uniserve.server.read;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Policy for an OutOfMemoryError in a query. The query fails alone, with PORT_FAILED, which clients retry once per replica: if the
 * process ended instead, retries of the query would end one server after the other. The process must end only if memory stays short
 * after the query has released its own, as any thread may fail next. Thread-safe.
 */
public final class OutOfMemoryPolicy {
    private static final Logger LOG = LoggerFactory.getLogger(OutOfMemoryPolicy.class);
    private static final long ROOM_DIVISOR = 20;
    private static final int ROOM_BYTES_MAX = 64 << 20;

    private final Consumer<Throwable> fatal;
    private final BooleanSupplier hasMemoryLeft;

    /**
     * Creates the policy.
     *
     * @param fatal ends the process in good order; called on the failing thread
     */
    public OutOfMemoryPolicy(Consumer<Throwable> fatal) {
        this(fatal, OutOfMemoryPolicy::hasMemoryLeft);
    }

    OutOfMemoryPolicy(Consumer<Throwable> fatal, BooleanSupplier roomLeft) {
        this.fatal = fatal;
        this.hasMemoryLeft = roomLeft;
    }

    /** Returns the query's error, and calls the fatal handler if memory stays short. */
    UniserveException onOutOfMemory(String what, OutOfMemoryError error) {
        boolean room = hasMemoryLeft.getAsBoolean();
        LOG.error("{} ran out of memory, {}", what, room ? "memory is available again" : "the process must end", error);
        if (!room) {
            fatal.accept(error);
        }
        return new UniserveException(
                ErrorCode.PORT_FAILED,
                what + " ran out of memory: ask for less, or give the servers more (UNISERVE_JAVA_OPTS=-Xmx...)",
                error);
    }

    /** Returns the error for any failure of a port. Failures other than a lack of memory count as the port's. */
    public UniserveException onFailure(String what, Throwable failure) {
        return failure instanceof OutOfMemoryError memory
                ? onOutOfMemory(what, memory)
                : PortErrorMapper.toUniserveException(what, failure);
    }

    /** Tries to allocate a twentieth of the heap. This forces the garbage collector to free as much as possible. */
    private static boolean hasMemoryLeft() {
        long wanted = Math.min(ROOM_BYTES_MAX, Runtime.getRuntime().maxMemory() / ROOM_DIVISOR);
        try {
            return new byte[(int) wanted].length == wanted;
        } catch (OutOfMemoryError e) {
            LOG.debug("no {} bytes left", wanted, e);
            return false;
        }
    }
}
