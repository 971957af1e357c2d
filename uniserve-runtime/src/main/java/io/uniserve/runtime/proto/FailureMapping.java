package io.uniserve.runtime.proto;

import io.uniserve.error.ErrorCode;
import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.client.ActorFailure;
import java.util.List;

/** Mapping of failures of single actors. */
public final class FailureMapping {
    private FailureMapping() {}

    public static DataProto.ActorFailure toProto(ActorFailure failure) {
        return DataProto.ActorFailure.newBuilder()
                .setActor(failure.actor())
                .setCode(failure.code().number())
                .setMessage(ProtoValidator.clip(failure.message(), Limits.MESSAGE_TEXT_CHARS_MAX))
                .setEpoch(failure.epoch())
                .build();
    }

    public static List<ActorFailure> fromProto(List<DataProto.ActorFailure> failures) {
        return ProtoValidator.list("failures", failures, Limits.TIME_ACTORS_PER_TABLE_MAX, FailureMapping::fromProto);
    }

    private static ActorFailure fromProto(DataProto.ActorFailure failure) {
        return new ActorFailure(
                ProtoValidator.actor(failure.getActor()),
                ErrorCode.ofNumber(failure.getCode()),
                ProtoValidator.text("message", failure.getMessage(), Limits.MESSAGE_TEXT_CHARS_MAX),
                failure.getEpoch());
    }
}
