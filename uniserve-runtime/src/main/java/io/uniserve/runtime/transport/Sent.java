package io.uniserve.runtime.transport;

import io.grpc.ClientStreamTracer;
import io.grpc.Metadata;

/** Knows whether a call was given to a connection: before that what it sends was certainly not handled. */
final class Sent extends ClientStreamTracer.Factory {
    private volatile boolean created;

    boolean created() {
        return created;
    }

    @Override
    public ClientStreamTracer newClientStreamTracer(ClientStreamTracer.StreamInfo info, Metadata headers) {
        return new ClientStreamTracer() {
            @Override
            public void outboundHeaders() {
                created = true;
            }
        };
    }
}
