package io.uniserve.runtime.transport.login;

import com.google.protobuf.Message;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import io.uniserve.runtime.proto.LoginGrpc;
import io.uniserve.runtime.proto.LoginProto;
import io.uniserve.runtime.transport.ClusterIdentity;
import io.uniserve.runtime.transport.MalformedMessageGuard;
import io.uniserve.runtime.transport.StatusMapping;
import io.uniserve.runtime.transport.access.AccessControl;
import java.util.function.Supplier;

/** gRPC service of logins. */
public final class LoginService extends LoginGrpc.LoginImplBase {
    private final ClusterIdentity cluster;
    private final AccessControl access;
    private final LoginHandler handler;

    public LoginService(ClusterIdentity cluster, AccessControl access, LoginHandler handler) {
        this.cluster = cluster;
        this.access = access;
        this.handler = handler;
    }

    @Override
    public void begin(LoginProto.LoginFirst call, StreamObserver<LoginProto.LoginFirstReply> observer) {
        answer(call, observer, () -> {
            if (!call.getCluster().isEmpty()) {
                cluster.checkName(call.getCluster());
            }
            return handler.first(access.current().address(), call);
        });
    }

    @Override
    public void finish(LoginProto.LoginFinal call, StreamObserver<LoginProto.LoginFinalReply> observer) {
        answer(call, observer, () -> handler.finish(access.current().address(), call));
    }

    private static <R> void answer(Message call, StreamObserver<R> observer, Supplier<R> work) {
        // With this handler set, an answer to a disconnected caller is dropped instead of throwing.
        ((ServerCallStreamObserver<R>) observer).setOnCancelHandler(() -> {});
        R reply;
        try {
            MalformedMessageGuard.refuse(call);
            reply = work.get();
        } catch (RuntimeException e) {
            observer.onError(StatusMapping.toStatus(e));
            return;
        }
        observer.onNext(reply);
        observer.onCompleted();
    }
}
