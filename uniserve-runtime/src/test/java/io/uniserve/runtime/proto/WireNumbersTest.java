package io.uniserve.runtime.proto;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Descriptors.EnumDescriptor;
import io.uniserve.model.AckLevel;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.registry.Tombstone;
import io.uniserve.protocol.message.HealthProblem;
import io.uniserve.protocol.message.LogEntry;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.TrashCall;
import io.uniserve.protocol.message.client.ReadMode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Enum numbers on the wire are the ordinal plus one: a moved constant would change the meaning of old messages. */
class WireNumbersTest {
    @Test
    void numbersMatchNames() {
        matches(ConsistencyLevel.values(), ModelProto.ConsistencyLevel.getDescriptor());
        matches(OnLoss.values(), ModelProto.OnLoss.getDescriptor());
        matches(AckLevel.values(), ModelProto.AckLevel.getDescriptor());
        matches(ReadMode.values(), DataProto.ReadMode.getDescriptor());
        matches(LogEntry.Type.values(), PeerProto.LogEntryType.getDescriptor());
        matches(PeerReply.Vote.Kind.values(), PeerProto.VoteKind.getDescriptor());
        matches(TrashCall.Action.values(), PeerProto.TrashAction.getDescriptor());
        matches(Tombstone.Reason.values(), RegistryProto.TombstoneReason.getDescriptor());
        matches(HealthProblem.Severity.values(), PeerProto.ProblemSeverity.getDescriptor());
        matches(PeerReply.Replicated.Status.values(), PeerProto.ReplicatedStatus.getDescriptor());
    }

    /** Absent means not reported, as from an earlier version. */
    @Test
    void whetherAReplicaServesHasTheOrdinal() {
        for (PeerReply.Serving constant : List.of(PeerReply.Serving.YES, PeerReply.Serving.NO)) {
            assertThat(PeerProto.ReplicaServing.forNumber(constant.ordinal()).name())
                    .endsWith("_" + constant.name());
        }
        assertThat(PeerReply.Serving.NOT_REPORTED.ordinal()).isZero();
    }

    private static void matches(Enum<?>[] constants, EnumDescriptor descriptor) {
        assertThat(descriptor.getValues()).hasSize(constants.length + 1);
        for (Enum<?> constant : constants) {
            assertThat(descriptor
                            .findValueByNumber(ProtoValidator.number(constant))
                            .getName())
                    .endsWith("_" + constant.name());
        }
    }
}
