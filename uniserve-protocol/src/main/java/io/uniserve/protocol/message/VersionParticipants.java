package io.uniserve.protocol.message;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.registry.ChunkVersions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Participants of a version, as a PREPARE has them. A restoration counts them, to find out whether the version is complete in storage. A
 * TIME table names them, because participants in expired chunks do not count.
 *
 * @param count number of actors with rows in the version, 0 if unknown
 * @param chunks their numbers, in a TIME table
 */
public record VersionParticipants(int count, Optional<Chunks> chunks) {
    /** Participants that are not known. */
    public static final VersionParticipants UNKNOWN = counted(0);

    private static final int FORMAT = 1;

    public VersionParticipants {
        if (chunks.isPresent() && chunks.get().actors().size() != count) {
            throw UniserveException.invalid(
                    "count is " + count + ", but " + chunks.get().actors().size() + " participants are named");
        }
    }

    /**
     * Participants in a TIME table.
     *
     * @param actors their numbers, ascending
     * @param earlier newest chunks of the versions committed before this one
     */
    public record Chunks(List<Integer> actors, ChunkVersions earlier) {
        public Chunks {
            actors = List.copyOf(actors);
            if (actors.size() > Limits.TIME_ACTORS_PER_TABLE_MAX) {
                throw UniserveException.invalid(
                        actors.size() + " participants: at most " + Limits.TIME_ACTORS_PER_TABLE_MAX + " are allowed");
            }
            for (int i = 0; i < actors.size(); i++) {
                if (actors.get(i) < 0 || i > 0 && actors.get(i) <= actors.get(i - 1)) {
                    throw UniserveException.invalid(
                            "participant " + actors.get(i) + " at place " + i + ": numbers must ascend from 0");
                }
            }
        }
    }

    /** Participants of a table whose actors never change. */
    public static VersionParticipants counted(int count) {
        return new VersionParticipants(count, Optional.empty());
    }

    /** Participants of a TIME table. */
    public static VersionParticipants named(List<Integer> actors, ChunkVersions earlier) {
        return new VersionParticipants(actors.size(), Optional.of(new Chunks(actors, earlier)));
    }

    /** Encodes the participants of a TIME table. */
    static Bytes encode(Chunks chunks) {
        BinaryWriter out = new BinaryWriter();
        out.writeByte(FORMAT).writeBytes(chunks.earlier().encode());
        out.writeInt(chunks.actors().size());
        chunks.actors().forEach(out::writeInt);
        return out.toBytes();
    }

    /** Decodes the result of {@link #encode}; CORRUPT for other bytes. */
    static VersionParticipants decode(Bytes data) {
        try {
            BinaryReader in = new BinaryReader(data);
            int format = in.readByte();
            if (format != FORMAT) {
                throw UniserveException.invalid(
                        "participants have format " + format + ", this version reads " + FORMAT);
            }
            ChunkVersions earlier = ChunkVersions.decode(in.readBytes());
            List<Integer> actors = new ArrayList<>();
            for (int left = in.readCount(Integer.BYTES); left > 0; left--) {
                actors.add(in.readInt());
            }
            in.expectEnd();
            return named(actors, earlier);
        } catch (UniserveException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "participants of a version: " + e.reason(), e);
        }
    }

    /** Writes the participants. */
    public void write(BinaryWriter out) {
        out.writeBoolean(chunks.isPresent());
        if (chunks.isPresent()) {
            out.writeBytes(encode(chunks.get()));
        } else {
            out.writeInt(count);
        }
    }

    /** Reads the result of {@link #write}; CORRUPT for other bytes. */
    public static VersionParticipants read(BinaryReader in) {
        return in.readBoolean() ? decode(in.readBytes()) : counted(in.readInt());
    }
}
