package io.uniserve.runtime.proto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import io.uniserve.api.plan.Answer;
import io.uniserve.model.registry.RegistryValue;
import io.uniserve.model.registry.Routing;
import io.uniserve.protocol.message.AdminReply;
import io.uniserve.protocol.message.AdminRequest;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.client.ConsistentSnapshot;
import io.uniserve.protocol.message.client.QueryRequest;
import io.uniserve.protocol.message.client.ReadReply;
import io.uniserve.protocol.message.client.ReadRequest;
import io.uniserve.protocol.message.client.UpdateReply;
import io.uniserve.protocol.message.client.UpdateRequest;
import io.uniserve.protocol.message.client.VersionedRead;
import io.uniserve.runtime.proto.data.ConsistentSnapshotMapping;
import io.uniserve.runtime.proto.data.QueryMapping;
import io.uniserve.runtime.proto.data.UpdateMapping;
import io.uniserve.runtime.proto.data.VersionedReadMapping;
import io.uniserve.runtime.proto.peer.PeerReplyMapping;
import io.uniserve.runtime.proto.peer.PeerRequestMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every message is equal to the original after encoding and decoding. */
class RoundTripTest {
    static final int SEEDS = 60;

    record Family<M, P extends Message>(
            String name, Class<M> type, Function<M, P> out, Parser<P> parser, Function<P, M> in) {
        void roundTrip(Class<? extends M> leaf, long seed) throws InvalidProtocolBufferException {
            M value = new RandomValues(seed).next(leaf);
            P parsed = parser.parseFrom(out.apply(value).toByteArray());
            assertThat(in.apply(parsed))
                    .as("%s, seed %d", leaf.getSimpleName(), seed)
                    .isEqualTo(value);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Family<?, ?>> families() {
        List<Family<?, ?>> families = new ArrayList<>(clientFamilies());
        families.addAll(otherFamilies());
        return families;
    }

    private static List<Family<?, ?>> clientFamilies() {
        return List.of(
                new Family<>(
                        "read",
                        ReadRequest.class,
                        ReadMapping::toProto,
                        DataProto.ReadRequest.parser(),
                        ReadMapping::fromProto),
                new Family<>(
                        "read reply",
                        ReadReply.class,
                        ReadMapping::toProto,
                        DataProto.ReadReply.parser(),
                        ReadMapping::fromProto),
                new Family<>(
                        "versioned read",
                        VersionedRead.class,
                        VersionedReadMapping::toProto,
                        DataProto.VersionedRead.parser(),
                        VersionedReadMapping::fromProto),
                new Family<>(
                        "versioned read reply",
                        VersionedRead.Reply.class,
                        VersionedReadMapping::replyToProto,
                        DataProto.ReadReply.parser(),
                        VersionedReadMapping::replyFromProto),
                new Family<>(
                        "cut",
                        ConsistentSnapshot.class,
                        ConsistentSnapshotMapping::toProto,
                        DataProto.CutReply.parser(),
                        ConsistentSnapshotMapping::fromProto),
                new Family<>(
                        "update",
                        UpdateRequest.class,
                        UpdateMapping::toProto,
                        DataProto.UpdateRequest.parser(),
                        UpdateMapping::fromProto),
                new Family<>(
                        "update reply",
                        UpdateReply.class,
                        UpdateMapping::toProto,
                        DataProto.UpdateReply.parser(),
                        UpdateMapping::fromProto),
                new Family<>(
                        "query",
                        QueryRequest.class,
                        QueryMapping::toProto,
                        DataProto.QueryRequest.parser(),
                        QueryMapping::fromProto),
                new Family<>(
                        "answer",
                        Answer.class,
                        QueryMapping::toProto,
                        DataProto.QueryReply.parser(),
                        QueryMapping::fromProto));
    }

    private static List<Family<?, ?>> otherFamilies() {
        return List.of(
                new Family<PeerRequest, PeerProto.PeerEnvelope>(
                        "peer request",
                        PeerRequest.class,
                        request -> PeerRequestMapping.toProto("cluster", request),
                        PeerProto.PeerEnvelope.parser(),
                        PeerRequestMapping::fromProto),
                new Family<>(
                        "peer reply",
                        PeerReply.class,
                        PeerReplyMapping::toProto,
                        PeerProto.PeerReplyEnvelope.parser(),
                        PeerReplyMapping::fromProto),
                new Family<AdminRequest, AdminProto.AdminCall>(
                        "admin request",
                        AdminRequest.class,
                        request -> AdminMapping.toProto("cluster", request),
                        AdminProto.AdminCall.parser(),
                        AdminMapping::fromProto),
                new Family<>(
                        "admin reply",
                        AdminReply.class,
                        AdminMapping::toProto,
                        AdminProto.AdminReplyEnvelope.parser(),
                        AdminMapping::fromProto),
                new Family<>(
                        "routing",
                        Routing.class,
                        RoutingMapping::toProto,
                        ModelProto.Routing.parser(),
                        RoutingMapping::fromProto));
    }

    @ParameterizedTest
    @MethodSource("families")
    void comesBackEqual(Family<?, ?> family) throws InvalidProtocolBufferException {
        roundTrips(family);
    }

    private static <M, P extends Message> void roundTrips(Family<M, P> family) throws InvalidProtocolBufferException {
        for (Class<? extends M> leaf : leaves(family.type())) {
            for (long seed = 0; seed < SEEDS; seed++) {
                family.roundTrip(leaf, seed);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("registryValues")
    void registryValueComesBackEqual(Class<? extends RegistryValue> leaf) {
        for (long seed = 0; seed < SEEDS; seed++) {
            RegistryValue value = new RandomValues(seed).next(leaf);
            byte[] bytes = RegistryCodec.encode(value);
            assertThat(RegistryCodec.decode("/x", bytes)).as("seed %d", seed).isEqualTo(value);
            assertThat(RegistryCodec.encode(new RandomValues(seed).next(leaf))).isEqualTo(bytes);
        }
    }

    static List<Class<? extends RegistryValue>> registryValues() {
        return leaves(RegistryValue.class);
    }

    static <M> List<Class<? extends M>> leaves(Class<M> type) {
        if (!type.isSealed()) {
            return List.of(type);
        }
        List<Class<? extends M>> leaves = new ArrayList<>();
        for (Class<?> leaf : type.getPermittedSubclasses()) {
            leaves.addAll(leaves(leaf.asSubclass(type)));
        }
        return leaves;
    }
}
