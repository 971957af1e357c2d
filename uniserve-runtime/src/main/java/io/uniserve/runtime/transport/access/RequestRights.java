package io.uniserve.runtime.transport.access;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.OneofDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.access.Right;
import io.uniserve.runtime.proto.AdminProto;
import io.uniserve.runtime.proto.CertificatesProto;
import io.uniserve.runtime.proto.DataProto;
import io.uniserve.runtime.proto.SecurityProto;
import io.uniserve.runtime.proto.SecurityProto.Callers;
import io.uniserve.runtime.proto.SecurityProto.RequestEffect;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Rights that methods and kinds of administrative requests declare, and which of these are changes, beside their definition in the {@code
 * .proto} file.
 */
public final class RequestRights {
    private static final OneofDescriptor REQUEST =
            AdminProto.AdminCall.getDescriptor().getOneofs().get(0);

    private static final List<FileDescriptor> FILES =
            List.of(AdminProto.getDescriptor(), DataProto.getDescriptor(), CertificatesProto.getDescriptor());

    private static final Map<String, Optional<Right>> METHODS = methods();

    private static final Map<String, RequestEffect> EFFECTS = REQUEST.getFields().stream()
            .collect(Collectors.toUnmodifiableMap(
                    FieldDescriptor::getName, kind -> kind.getOptions().getExtension(SecurityProto.requestEffect)));

    private RequestRights() {}

    private static Map<String, Optional<Right>> methods() {
        Map<String, Optional<Right>> rights = new TreeMap<>();
        for (FileDescriptor file : FILES) {
            for (ServiceDescriptor service : file.getServices()) {
                for (MethodDescriptor method : service.getMethods()) {
                    if (method.getOptions().getExtension(SecurityProto.callers) != Callers.PROCESSES) {
                        rights.put(
                                service.getFullName() + "/" + method.getName(),
                                of(method.getOptions().getExtension(SecurityProto.right)));
                    }
                }
            }
        }
        return rights;
    }

    /** The rights of all methods that users may call, by full name, such as {@code uniserve.Data/Update}; empty for one that declares none. */
    public static Map<String, Optional<Right>> ofMethods() {
        return METHODS;
    }

    /** The right that the method needs. Fails with UNAUTHORIZED if it declares none. */
    public static Right ofMethod(String method) {
        return METHODS.getOrDefault(method, Optional.empty()).orElseThrow(() -> undeclared(method));
    }

    /** The right that the request needs. Fails with UNAUTHORIZED if its kind declares none, or it has none. */
    static Right required(AdminProto.AdminCall call) {
        return of(call).orElseThrow(() -> undeclared("request " + call.getRequestCase()));
    }

    private static UniserveException undeclared(String what) {
        return new UniserveException(ErrorCode.UNAUTHORIZED, what + " declares no right, so no caller may use it");
    }

    /** The right that the request needs; empty if its kind declares none, or it has none. */
    private static Optional<Right> of(AdminProto.AdminCall call) {
        FieldDescriptor kind = call.getOneofFieldDescriptor(REQUEST);
        return kind == null ? Optional.empty() : of(kind);
    }

    /** Name of the request's kind, such as {@code drop_table}; empty if it has none. */
    public static String kind(AdminProto.AdminCall call) {
        FieldDescriptor kind = call.getOneofFieldDescriptor(REQUEST);
        return kind == null ? "" : kind.getName();
    }

    /** The rights of all kinds of requests, by name of the field; empty for a kind that declares none. */
    public static Map<String, Optional<Right>> all() {
        Map<String, Optional<Right>> rights = new TreeMap<>();
        REQUEST.getFields().forEach(kind -> rights.put(kind.getName(), of(kind)));
        return rights;
    }

    /** True if the request's kind declares a change. Fails with UNAUTHORIZED if it declares no effect, or the call has no request. */
    static boolean isChange(AdminProto.AdminCall call) {
        return switch (effects().getOrDefault(kind(call), RequestEffect.EFFECT_UNDECLARED)) {
            case EFFECT_CHANGE -> true;
            case EFFECT_READ -> false;
            case EFFECT_UNDECLARED, UNRECOGNIZED ->
                throw new UniserveException(
                        ErrorCode.UNAUTHORIZED,
                        "request " + call.getRequestCase() + " declares no effect, so no caller may use it");
        };
    }

    /** The effects of all kinds of requests, by name of the field. */
    static Map<String, RequestEffect> effects() {
        return EFFECTS;
    }

    private static Optional<Right> of(FieldDescriptor kind) {
        return of(kind.getOptions().getExtension(SecurityProto.requestRight));
    }

    /** The right as the model has it; empty if none is declared. */
    private static Optional<Right> of(SecurityProto.RequiredRight declared) {
        return switch (declared) {
            case RIGHT_READ -> Optional.of(Right.READ);
            case RIGHT_WRITE -> Optional.of(Right.WRITE);
            case RIGHT_DESCRIBE -> Optional.of(Right.DESCRIBE);
            case RIGHT_MONITOR -> Optional.of(Right.MONITOR);
            case RIGHT_OPERATE -> Optional.of(Right.OPERATE);
            case RIGHT_ADMINISTER -> Optional.of(Right.ADMINISTER);
            case RIGHT_CONNECT -> Optional.of(Right.CONNECT);
            case RIGHT_UNDECLARED, UNRECOGNIZED -> Optional.empty();
        };
    }
}
