package io.uniserve.runtime.proto.peer;

import io.uniserve.limit.Limits;
import io.uniserve.protocol.message.ChunkInfo;
import io.uniserve.protocol.message.ExchangeId;
import io.uniserve.protocol.message.PeerReply;
import io.uniserve.protocol.message.PeerRequest;
import io.uniserve.protocol.message.PullChunk;
import io.uniserve.protocol.message.ScatterRunId;
import io.uniserve.runtime.proto.BytesMapping;
import io.uniserve.runtime.proto.PeerProto;
import io.uniserve.runtime.proto.ProtoValidator;

/** Mapping of the messages between servers for plans with scatters. */
final class ExchangeMapping {
    private ExchangeMapping() {}

    static PeerProto.ExchangeId toProto(ExchangeId exchange) {
        return PeerProto.ExchangeId.newBuilder()
                .setQuery(exchange.query())
                .setAttempt(exchange.attempt())
                .build();
    }

    static ExchangeId fromProto(PeerProto.ExchangeId proto) {
        return new ExchangeId(proto.getQuery(), proto.getAttempt());
    }

    static PeerProto.PullChunks toProto(PeerRequest.PullChunks pull) {
        PeerProto.PullChunks.Builder proto = PeerProto.PullChunks.newBuilder();
        pull.parts().forEach(part -> proto.addParts(toProto(part)));
        return proto.build();
    }

    static PeerRequest.PullChunks fromProto(PeerProto.PullChunks proto) {
        return new PeerRequest.PullChunks(ProtoValidator.list(
                "parts", proto.getPartsList(), Limits.EXCHANGE_PULL_PARTS_MAX, ExchangeMapping::fromProto));
    }

    private static PeerProto.PullChunk toProto(PullChunk pull) {
        return PeerProto.PullChunk.newBuilder()
                .setExchange(toProto(pull.output().exchange()))
                .setStage(pull.output().stage())
                .setActor(pull.output().actor())
                .setRun(pull.output().run())
                .setSlot(pull.slot())
                .setOffset(pull.offset())
                .setLength(pull.length())
                .build();
    }

    private static PullChunk fromProto(PeerProto.PullChunk proto) {
        ProtoValidator.present("exchange", proto.hasExchange());
        return new PullChunk(
                new ScatterRunId(
                        fromProto(proto.getExchange()),
                        proto.getStage(),
                        ProtoValidator.actor(proto.getActor()),
                        proto.getRun()),
                (int) ProtoValidator.notNegative("slot", proto.getSlot()),
                (int) ProtoValidator.notNegative("offset", proto.getOffset()),
                (int) ProtoValidator.notNegative("length", proto.getLength()));
    }

    static PeerProto.Pieces toProto(PeerReply.Pieces pieces) {
        PeerProto.Pieces.Builder proto = PeerProto.Pieces.newBuilder();
        pieces.pieces().forEach(piece -> proto.addPieces(toProto(piece)));
        return proto.build();
    }

    static PeerReply.Pieces fromProto(PeerProto.Pieces proto) {
        return new PeerReply.Pieces(ProtoValidator.list(
                "pieces", proto.getPiecesList(), Limits.EXCHANGE_PULL_PARTS_MAX, ExchangeMapping::fromProto));
    }

    private static PeerProto.Piece toProto(PeerReply.Piece piece) {
        return PeerProto.Piece.newBuilder()
                .setRows(piece.chunk().rows())
                .setTotal(piece.chunk().bytes())
                .setChecksum(piece.chunk().checksum())
                .setBytes(BytesMapping.toProto(piece.bytes()))
                .build();
    }

    private static PeerReply.Piece fromProto(PeerProto.Piece proto) {
        return new PeerReply.Piece(
                new ChunkInfo(
                        ProtoValidator.notNegative("rows", proto.getRows()),
                        (int) ProtoValidator.notNegative("total", proto.getTotal()),
                        proto.getChecksum()),
                BytesMapping.fromProto("bytes", proto.getBytes(), Limits.MESSAGE_BYTES_MAX));
    }
}
