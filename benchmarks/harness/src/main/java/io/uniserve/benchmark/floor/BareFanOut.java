package io.uniserve.benchmark.floor;

import io.uniserve.model.Address;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;

/** Floor of a fan-out: one unary call per server in parallel, done when all have answered. Thread-safe. */
public final class BareFanOut implements AutoCloseable {
    private final BareChannels channels;
    private final byte[] request;

    public BareFanOut(List<Address> servers, int requestBytes, int replyBytes) {
        this.channels = new BareChannels(servers);
        this.request = ByteBuffer.allocate(Math.max(4, requestBytes))
                .putInt(replyBytes)
                .array();
    }

    int servers() {
        return channels.servers();
    }

    /** Calls this number of servers in parallel, from {@code first} on, and waits for all. */
    public void call(int first, int servers) {
        List<byte[]> unused = channels.call(first, Collections.nCopies(servers, request));
    }

    @Override
    public void close() {
        channels.close();
    }
}
