package io.uniserve.protocol.client.update;

import io.uniserve.model.ServerId;
import java.util.List;

/** One message of an update to one server. */
final class UpdateCall {
    final ServerId server;
    final List<UpdateTarget> slots;
    final long sentNanos;

    UpdateCall(ServerId server, List<UpdateTarget> slots, long sentNanos) {
        this.server = server;
        this.slots = slots;
        this.sentNanos = sentNanos;
    }
}
