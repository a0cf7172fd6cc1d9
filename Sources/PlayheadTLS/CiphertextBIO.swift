internal import COpenSSL
internal import NIOCore

/// The BIO through which OpenSSL reads and writes the ciphertext buffers of a ``TLSConnection``.
///
/// A BIO of our own saves the copy into and out of a memory BIO (7 % of bulk CPU).
enum CiphertextBIO {
    /// The method table, made once and never changed or freed, hence safe to share.
    private nonisolated(unsafe) static let method: OpaquePointer? = {
        guard let method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "playhead ciphertext") else {
            return nil
        }
        BIO_meth_set_create(method) { bio in
            BIO_set_init(bio, 1)
            return 1
        }
        BIO_meth_set_read(method) { bio, data, count in
            guard let bio, let data, count > 0 else { return 0 }
            let read = CiphertextBIO.connection(of: bio)?.takeCiphertext(into: data, limit: Int(count)) ?? 0
            playhead_bio_clear_retry(bio)
            guard read == 0 else { return Int32(read) }
            playhead_bio_set_retry_read(bio)
            return -1
        }
        BIO_meth_set_write(method) { bio, data, count in
            guard let bio, let data, count > 0 else { return 0 }
            playhead_bio_clear_retry(bio)
            CiphertextBIO.connection(of: bio)?.putCiphertext(UnsafeRawBufferPointer(start: data, count: Int(count)))
            return count
        }
        BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
        return method
    }()

    /// Makes a BIO that serves `connection`, which must outlive it.
    static func make(for connection: TLSConnection) -> OpaquePointer? {
        guard let method, let bio = BIO_new(method) else { return nil }
        BIO_set_data(bio, Unmanaged.passUnretained(connection).toOpaque())
        return bio
    }

    private static func connection(of bio: OpaquePointer) -> TLSConnection? {
        guard let data = BIO_get_data(bio) else { return nil }
        return Unmanaged<TLSConnection>.fromOpaque(data).takeUnretainedValue()
    }
}
