package io.uniserve.protocol.transaction;

import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Sha256;
import io.uniserve.protocol.message.client.StagedRowsRef;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.UpdateRequest.ActorRows;
import java.util.Comparator;
import java.util.List;

/**
 * Content hash of an update, which distinguishes two updates with the same request id. Epochs are not part of it. It combines the hashes of
 * the actors' rows, by actor, so it is the same for rows in the request and for staged rows.
 */
public final class RequestContentHash {
    private RequestContentHash() {}

    /** SHA-256 of the request's content, in hex. */
    public static String of(UpdateRequest request) {
        BinaryWriter out = new BinaryWriter().writeLong(request.tableId()).writeString(request.function());
        List<ActorRows> actors = request.actors().stream()
                .sorted(Comparator.comparingInt(ActorRows::actor))
                .toList();
        for (ActorRows rows : actors) {
            StagedRowsRef staged = rows.staged();
            out.writeInt(rows.actor())
                    .writeLong(rows.bytes())
                    .writeString(staged == null ? Sha256.hex(rows.rows()) : staged.sha256());
        }
        return Sha256.hex(out.toBytes());
    }
}
