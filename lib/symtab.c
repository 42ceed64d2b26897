/* SPDX-License-Identifier: MIT */
/*
 * Names of code addresses, from the .symtab of ELF64 files in memory.
 *
 * The file is hostile: every table and string is held against its size before
 * it is touched, and read by memcpy() since nothing is aligned for sure.
 */
#include "lib/symtab.h"

#include "lib/elf.h"
#include "lib/err.h"
#include "lib/sort.h"
#include "lib/string.h"

struct view {
	const u8 *data;
	size_t size;
	struct elf64_ehdr ehdr;
	struct elf64_shdr symtab;
	struct elf64_shdr strtab;
};

/* Owner: symtab_register(). */
static struct symtab *tables;

static bool in_file(const struct view *v, u64 offset, u64 n)
{
	return offset <= v->size && n <= v->size - offset;
}

static int read_section(const struct view *v, u64 index,
			struct elf64_shdr *shdr)
{
	u64 offset;

	if (index >= v->ehdr.e_shnum ||
	    v->ehdr.e_shentsize != sizeof(*shdr) ||
	    v->ehdr.e_shoff > v->size)
		return -ENOEXEC;
	offset = v->ehdr.e_shoff + index * sizeof(*shdr);
	if (!in_file(v, offset, sizeof(*shdr)))
		return -ENOEXEC;
	memcpy(shdr, v->data + offset, sizeof(*shdr));
	return 0;
}

/* Finds .symtab and its strings. Return: 0, -ENODATA stripped, -ENOEXEC. */
static int view_open(struct view *v, const void *elf, size_t size)
{
	v->data = elf;
	v->size = size;
	if (!in_file(v, 0, sizeof(v->ehdr)))
		return -ENOEXEC;
	memcpy(&v->ehdr, elf, sizeof(v->ehdr));
	if (memcmp(v->ehdr.e_ident, ELF64_IDENT, sizeof(ELF64_IDENT) - 1))
		return -ENOEXEC;
	for (u64 i = 0; i < v->ehdr.e_shnum; i++) {
		if (read_section(v, i, &v->symtab))
			return -ENOEXEC;
		if (v->symtab.sh_type != SHT_SYMTAB)
			continue;
		if (v->symtab.sh_entsize != sizeof(struct elf64_sym) ||
		    !in_file(v, v->symtab.sh_offset, v->symtab.sh_size) ||
		    read_section(v, v->symtab.sh_link, &v->strtab) ||
		    !in_file(v, v->strtab.sh_offset, v->strtab.sh_size))
			return -ENOEXEC;
		return 0;
	}
	return -ENODATA;
}

/* The NUL-terminated name at @offset, or NULL. */
static const char *name_at(const struct view *v, u32 offset)
{
	const char *strings = (const char *)v->data + v->strtab.sh_offset;

	if (offset >= v->strtab.sh_size)
		return NULL;
	if (!memchr(strings + offset, '\0', v->strtab.sh_size - offset))
		return NULL;
	return strings + offset;
}

static bool in_code_section(const struct view *v, const struct elf64_sym *sym)
{
	struct elf64_shdr shdr;

	return sym->st_shndx && !read_section(v, sym->st_shndx, &shdr) &&
	       shdr.sh_flags & SHF_EXECINSTR;
}

/* Functions, and labels of code that have a name of their own. */
static const char *wanted(const struct view *v, const struct elf64_sym *sym)
{
	unsigned int type = sym->st_info & 15;
	const char *name;

	if (type != STT_FUNC && type != STT_NOTYPE)
		return NULL;
	if (!in_code_section(v, sym))
		return NULL;
	name = name_at(v, sym->st_name);
	return name && name[0] && name[0] != '.' ? name : NULL;
}

long symtab_count(const void *elf, size_t size)
{
	struct view v;
	struct elf64_sym sym;
	long nr = 0;
	int err = view_open(&v, elf, size);

	if (err)
		return err == -ENODATA ? 0 : err;
	for (u64 off = 0; off + sizeof(sym) <= v.symtab.sh_size;
	     off += sizeof(sym)) {
		memcpy(&sym, v.data + v.symtab.sh_offset + off, sizeof(sym));
		if (wanted(&v, &sym))
			nr++;
	}
	return nr;
}

/* By address; at one address sized symbols (functions) first, then by name. */
static int cmp_symbol(const void *a, const void *b, const void *priv)
{
	const struct symbol *p = a, *q = b;

	(void)priv;
	if (p->addr != q->addr)
		return p->addr < q->addr ? -1 : 1;
	if (!p->size != !q->size)
		return p->size ? -1 : 1;
	return strcmp(p->name, q->name);
}

/* One symbol for each address; a size of 0 reaches to the next symbol. */
static void tidy(struct symtab *tab)
{
	size_t kept = 0;

	sort(tab->sym, tab->nr, sizeof(*tab->sym), cmp_symbol, NULL);
	for (size_t i = 0; i < tab->nr; i++) {
		if (kept && tab->sym[kept - 1].addr == tab->sym[i].addr)
			continue;
		tab->sym[kept++] = tab->sym[i];
	}
	tab->nr = kept;
	for (size_t i = 0; i < kept; i++)
		if (!tab->sym[i].size)
			tab->sym[i].size = i + 1 < kept ?
				tab->sym[i + 1].addr - tab->sym[i].addr : 4096;
}

int symtab_build(struct symtab *tab, const void *elf, size_t size)
{
	struct view v;
	struct elf64_sym sym;
	int err = view_open(&v, elf, size);

	tab->nr = 0;
	if (err)
		return err == -ENODATA ? 0 : err;
	for (u64 off = 0; off + sizeof(sym) <= v.symtab.sh_size;
	     off += sizeof(sym)) {
		const char *name;

		memcpy(&sym, v.data + v.symtab.sh_offset + off, sizeof(sym));
		name = wanted(&v, &sym);
		if (!name)
			continue;
		if (tab->nr == tab->max)
			return -ENOSPC;
		tab->sym[tab->nr++] = (struct symbol){
			sym.st_value + tab->bias, sym.st_size, name,
		};
	}
	tidy(tab);
	return 0;
}

const struct symbol *symtab_find(const struct symtab *tab, u64 addr)
{
	size_t lo = 0, hi = tab->nr;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tab->sym[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - tab->sym[lo - 1].addr >= tab->sym[lo - 1].size)
		return NULL;
	return &tab->sym[lo - 1];
}

const struct symbol *symtab_by_name(const struct symtab *tab, const char *name)
{
	for (size_t i = 0; i < tab->nr; i++)
		if (!strcmp(tab->sym[i].name, name))
			return &tab->sym[i];
	return NULL;
}

void symtab_register(struct symtab *tab)
{
	tab->next = tables;
	smp_store_release(&tables, tab);
}

void symtab_unregister(struct symtab *tab)
{
	for (struct symtab **pos = &tables; *pos; pos = &(*pos)->next) {
		if (*pos != tab)
			continue;
		*pos = tab->next;
		return;
	}
}

const struct symbol *symtab_lookup(u64 addr)
{
	for (struct symtab *tab = smp_load_acquire(&tables); tab;
	     tab = tab->next) {
		const struct symbol *sym = symtab_find(tab, addr);

		if (sym)
			return sym;
	}
	return NULL;
}

const struct symbol *symtab_lookup_name(const char *name)
{
	for (struct symtab *tab = smp_load_acquire(&tables); tab;
	     tab = tab->next) {
		const struct symbol *sym = symtab_by_name(tab, name);

		if (sym)
			return sym;
	}
	return NULL;
}
