package io.uniserve.protocol.replica.state;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.RequestId;
import io.uniserve.protocol.message.LogEntry;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Table of requests: outcomes of the requests in the log, as a pure function of the applied entries. It is saved with every checkpoint. It
 * is bounded: outcomes below a client's own low-water mark are dropped first, then the client's oldest ones, then the client that has been
 * silent for longest.
 */
public final class RequestOutcomeTable {
    private final LinkedHashMap<Client, Outcomes> clients = new LinkedHashMap<>();
    private final int clientsMax;
    private final int requestsMax;
    private VersionState versionState = new VersionState();
    private boolean forgotClients;

    public RequestOutcomeTable() {
        this(Limits.REQUEST_CLIENTS_PER_ACTOR_MAX, Limits.REQUESTS_PER_CLIENT_MAX);
    }

    RequestOutcomeTable(int clientsMax, int requestsMax) {
        this.clientsMax = clientsMax;
        this.requestsMax = requestsMax;
    }

    /** Result of a look-up. */
    public sealed interface Lookup {
        /** The log has the request, with this content. {@code refusal} is the reason if it was refused, empty if it was applied. */
        record Recorded(long epoch, long index, long hash, String refusal) implements Lookup {}

        /** The log does not have the request. */
        record Unknown() implements Lookup {}

        /** The log may have had the request, but its outcome was dropped. */
        record Expired() implements Lookup {}
    }

    private record Client(long high, long low) {}

    private static final class Outcomes {
        private final TreeMap<Long, Lookup.Recorded> bySequence = new TreeMap<>();
        private long lowWatermark = Long.MIN_VALUE;
    }

    /** Finds a request. An {@code attempt} above 1 means that the client has sent it before. */
    public Lookup find(RequestId request, int attempt) {
        Outcomes outcomes = clients.get(new Client(request.clientHigh(), request.clientLow()));
        if (outcomes == null) {
            return attempt > 1 && forgotClients ? new Lookup.Expired() : new Lookup.Unknown();
        }
        Lookup.Recorded recorded = outcomes.bySequence.get(request.sequence());
        if (recorded != null) {
            return recorded;
        }
        return request.sequence() < outcomes.lowWatermark ? new Lookup.Expired() : new Lookup.Unknown();
    }

    /** State of the versions of atomic updates, by the applied entries. */
    public VersionState versions() {
        return versionState;
    }

    /** Adds an applied entry. */
    public void record(LogEntry entry) {
        versionState.record(entry);
        RequestId request = entry.request();
        if (request == null) {
            return;
        }
        Client client = new Client(request.clientHigh(), request.clientLow());
        Outcomes known = clients.remove(client);
        Outcomes outcomes = known == null ? new Outcomes() : known;
        clients.put(client, outcomes);
        Rejection outcome = entry.type() == LogEntry.Type.REFUSED
                ? Rejection.decode(entry.rows())
                : new Rejection(contentHash(entry.function(), entry.rows()), "");
        outcomes.bySequence.put(
                request.sequence(),
                new Lookup.Recorded(entry.epoch(), entry.index(), outcome.hash(), outcome.reason()));
        outcomes.lowWatermark = Math.max(outcomes.lowWatermark, entry.lowWater());
        outcomes.bySequence.headMap(outcomes.lowWatermark).clear();
        while (outcomes.bySequence.size() > requestsMax) {
            outcomes.lowWatermark = Math.max(
                    outcomes.lowWatermark, outcomes.bySequence.pollFirstEntry().getKey() + 1);
        }
        if (clients.size() > clientsMax) {
            Iterator<Client> oldest = clients.keySet().iterator();
            oldest.next();
            oldest.remove();
            forgotClients = true;
        }
    }

    /** A 64-bit hash of the content. */
    public static long contentHash(String function, Bytes rows) {
        Bytes name = Bytes.utf8(function);
        CRC32C first = new CRC32C();
        first.update(name.buffer());
        first.update(rows.buffer());
        CRC32 second = new CRC32();
        second.update(rows.buffer());
        second.update(name.buffer());
        return first.getValue() << 32 | second.getValue();
    }

    public void write(BinaryWriter out) {
        out.writeBoolean(forgotClients).writeInt(clients.size());
        for (Map.Entry<Client, Outcomes> client : clients.entrySet()) {
            out.writeLong(client.getKey().high()).writeLong(client.getKey().low());
            out.writeLong(client.getValue().lowWatermark)
                    .writeInt(client.getValue().bySequence.size());
            client.getValue()
                    .bySequence
                    .forEach((sequence, at) -> out.writeLong(sequence)
                            .writeLong(at.epoch())
                            .writeLong(at.index())
                            .writeLong(at.hash()));
        }
        writeRefusals(out);
    }

    /** Writes refusals and versions at the end, and only if there are any, so that the formats before them remain readable. */
    private void writeRefusals(BinaryWriter out) {
        int count = 0;
        BinaryWriter refusals = new BinaryWriter();
        for (Map.Entry<Client, Outcomes> client : clients.entrySet()) {
            for (Map.Entry<Long, Lookup.Recorded> request :
                    client.getValue().bySequence.entrySet()) {
                if (!request.getValue().refusal().isEmpty()) {
                    count++;
                    refusals.writeLong(client.getKey().high())
                            .writeLong(client.getKey().low());
                    refusals.writeLong(request.getKey())
                            .writeString(request.getValue().refusal());
                }
            }
        }
        if (count > 0 || !versionState.isEmpty()) {
            out.writeInt(count).writeBytes(refusals.toBytes());
        }
        if (!versionState.isEmpty()) {
            versionState.write(out);
        }
    }

    private void readRefusals(BinaryReader in) {
        int count = in.readInt();
        BinaryReader refusals = new BinaryReader(in.readBytes());
        for (int left = count; left > 0; left--) {
            Outcomes outcomes = clients.get(new Client(refusals.readLong(), refusals.readLong()));
            long sequence = refusals.readLong();
            String reason = refusals.readString();
            Lookup.Recorded recorded = outcomes == null ? null : outcomes.bySequence.get(sequence);
            if (outcomes == null || recorded == null) {
                throw new UniserveException(ErrorCode.CORRUPT, "table of requests: a refusal without its request");
            }
            outcomes.bySequence.put(
                    sequence, new Lookup.Recorded(recorded.epoch(), recorded.index(), recorded.hash(), reason));
        }
        refusals.expectEnd();
    }

    public static RequestOutcomeTable read(BinaryReader in) {
        RequestOutcomeTable table = new RequestOutcomeTable();
        table.forgotClients = in.readBoolean();
        for (int left = in.readCount(28); left > 0; left--) {
            Client client = new Client(in.readLong(), in.readLong());
            Outcomes outcomes = new Outcomes();
            outcomes.lowWatermark = in.readLong();
            for (int more = in.readCount(32); more > 0; more--) {
                outcomes.bySequence.put(
                        in.readLong(), new Lookup.Recorded(in.readLong(), in.readLong(), in.readLong(), ""));
            }
            table.clients.put(client, outcomes);
        }
        if (in.remaining() > 0) {
            table.readRefusals(in);
        }
        if (in.remaining() > 0) {
            table.versionState = VersionState.read(in);
        }
        return table;
    }
}
