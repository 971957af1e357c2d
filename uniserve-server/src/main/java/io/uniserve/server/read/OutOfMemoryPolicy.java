package io.uniserve.server.read;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an OutOfMemoryError under a query means. One query that wanted too much fails alone, with PORT_FAILED, which clients ask
 * of each replica once: were the
 * process to end, the same query, asked again elsewhere, would end one server after the other. Only when memory stays short
 * once that query has let go of it must the process end, as any thread may fail next. Safe for use by several threads.
 */
public final class OutOfMemoryPolicy {
    private static final Logger LOG = LoggerFactory.getLogger(OutOfMemoryPolicy.class);
    private static final long ROOM_DIVISOR = 20;
    private static final int ROOM_BYTES_MAX = 64 << 20;

    private final Consumer<Throwable> fatal;
    private final BooleanSupplier roomLeft;

    /** @param fatal ends the process in good order; called on the failing thread */
    public OutOfMemoryPolicy(Consumer<Throwable> fatal) {
        this(fatal, OutOfMemoryPolicy::roomLeft);
    }

    OutOfMemoryPolicy(Consumer<Throwable> fatal, BooleanSupplier roomLeft) {
        this.fatal = fatal;
        this.roomLeft = roomLeft;
    }

    /** The query's error; tells the fatal handler when memory stays short. */
    UniserveException of(String what, OutOfMemoryError error) {
        boolean room = roomLeft.getAsBoolean();
        LOG.error("{} ran out of memory, {}", what, room ? "there is room again" : "the process cannot go on", error);
        if (!room) {
            fatal.accept(error);
        }
        return new UniserveException(
                ErrorCode.PORT_FAILED,
                what + " ran out of memory: ask for less, or give the servers more (UNISERVE_JAVA_OPTS=-Xmx...)",
                error);
    }

    /** The same for any failure of a port; others than a lack of memory are the port's. */
    public UniserveException ofAny(String what, Throwable failure) {
        return failure instanceof OutOfMemoryError memory ? of(what, memory) : PortErrors.of(what, failure);
    }

    /** Tries to get a twentieth of the heap, which has the collector do what it can. */
    private static boolean roomLeft() {
        long wanted = Math.min(ROOM_BYTES_MAX, Runtime.getRuntime().maxMemory() / ROOM_DIVISOR);
        try {
            return new byte[(int) wanted].length == wanted;
        } catch (OutOfMemoryError e) {
            LOG.debug("no {} bytes left", wanted, e);
            return false;
        }
    }
}
