package io.uniserve.runtime.proto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.UnknownFieldSet;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TermRecord;
import io.uniserve.runtime.proto.peer.PeerRequestMapping;
import org.junit.jupiter.api.Test;

/**
 * What a reader does with what a later version sends: the rules of docs/manual/upgrade.md. The later version is played by numbers that this
 * version does not use.
 */
class OlderReaderTest {
    private static final int LATER = 900;

    private static UnknownFieldSet laterField() {
        return UnknownFieldSet.newBuilder()
                .addField(
                        LATER,
                        UnknownFieldSet.Field.newBuilder()
                                .addLengthDelimited(ByteString.copyFromUtf8("later"))
                                .build())
                .build();
    }

    @Test
    void anUnknownFieldOfARegistryNodeIsIgnored() throws InvalidProtocolBufferException {
        TermRecord term = new TermRecord("coordinator-1");
        byte[] later = RegistryProto.RegistryNode.parseFrom(RegistryCodec.encode(term)).toBuilder()
                .setUnknownFields(laterField())
                .build()
                .toByteArray();
        assertThat(RegistryCodec.decode("/term", later)).isEqualTo(term);
    }

    @Test
    void aLaterFormatOfARegistryNodeIsRejectedByName() throws InvalidProtocolBufferException {
        byte[] later =
                RegistryProto.RegistryNode.parseFrom(RegistryCodec.encode(new TermRecord("coordinator-1"))).toBuilder()
                        .setFormat(RegistryCodec.FORMAT + 1)
                        .build()
                        .toByteArray();
        assertThatThrownBy(() -> RegistryCodec.decode("/term", later))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("/term has format " + (RegistryCodec.FORMAT + 1))
                .hasMessageContaining("upgrade this process");
    }

    @Test
    void anUnknownKindOfRegistryNodeIsRejected() {
        byte[] later = RegistryProto.RegistryNode.newBuilder()
                .setFormat(1)
                .setUnknownFields(laterField())
                .build()
                .toByteArray();
        assertThatThrownBy(() -> RegistryCodec.decode("/later", later))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("of a kind this version does not know");
    }

    @Test
    void anUnknownRequestBetweenDaemonsIsRejected() {
        PeerProto.PeerEnvelope later = PeerProto.PeerEnvelope.newBuilder()
                .setCluster("cluster")
                .setUnknownFields(laterField())
                .build();
        assertThatThrownBy(() -> PeerRequestMapping.fromProto(later))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("of a kind this version does not know");
    }

    @Test
    void anUnknownEnumNumberRejectsTheWholeMessage() {
        ModelProto.TableMeta later = ModelProto.TableMeta.newBuilder()
                .setName("pairs")
                .setTableId(1)
                .setPartitioner(ModelProto.Partitioner.newBuilder()
                        .setHash(ModelProto.Partitioner.Hash.newBuilder().setActors(1)))
                .setKeyField("key")
                .setLevelValue(LATER)
                .setRf(1)
                .setMinIsr(1)
                .setOnLossValue(1)
                .setPort("kv")
                .setDurabilityValue(1)
                .build();
        assertThatThrownBy(() -> TableMapping.fromProto(later))
                .isInstanceOf(UniserveException.class)
                .hasMessageContaining("level is the unknown number " + LATER);
    }
}
